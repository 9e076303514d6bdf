"""Our own layered layout: ranks, order, coordinates and curves, for flat graphs of any size (Sugiyama et al. 1981)."""

from xlaviz.layout.layered.engine import lay_out_level, lay_out_levels, lay_out_seeded, layouts

__all__ = ["lay_out_level", "lay_out_levels", "lay_out_seeded", "layouts"]
