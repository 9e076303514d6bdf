"""Drawing the clusters of a computation: which of them are boxes, which frames, and what is in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xlaviz.graph.clusters import Clusters
from xlaviz.graph.families import family_of_many
from xlaviz.graph.labels import HEADER_PX, Label, cluster_label
from xlaviz.graph.metrics import elide_middle
from xlaviz.graph.model import ClusterKind, DrawnNode, Kind
from xlaviz.graph.options import GraphOptions
from xlaviz.graph.parts import Cluster, Part, members_of
from xlaviz.graph.repeats import Repeat, fold
from xlaviz.hlo.model import HloModule


@dataclass(frozen=True, slots=True)
class Home:
    """The box round an instruction: a frame, or a closed cluster that stands for it."""

    node: int
    is_closed: bool = False


@dataclass(slots=True)
class ClusterBoxes:
    """Adds to `nodes`, at most about `most`. `homes` has the instructions of the clusters by name."""

    module: HloModule
    clusters: Clusters
    options: GraphOptions
    nodes: list[DrawnNode]
    most: int
    homes: dict[str, Home] = field(default_factory=dict)
    is_full: bool = False

    def add(self, parts: Sequence[Part], parent: int) -> None:
        """Draw parts within `parent`."""
        for part in fold(self.module, self.clusters, parts) if self.options.fold_repeats else parts:
            if isinstance(part, int):
                self.homes[self.clusters.flow.instructions[part].name] = Home(parent)
            elif isinstance(part, Repeat):
                self._add_repeat(part, parent)
            else:
                self._add_cluster(part, parent)

    def _add_cluster(self, cluster: Cluster, parent: int) -> None:
        kind = self._kind(cluster.id)
        box = self._add_box(cluster.id, cluster.title, cluster.kind, kind, cluster, parent)
        if kind == "open":
            self.add(self.clusters.parts(cluster), box)
        else:
            self._hide(cluster, box)

    def _add_repeat(self, repeat: Repeat, parent: int) -> None:
        """One box for all; open, a frame round the first, which holds the others unseen."""
        kind, first = self._kind(repeat.id), repeat.parts[0]
        ids = tuple(self.clusters.id_of(part) for part in repeat.parts)
        box = self._add_box(repeat.id, repeat.title, "repeat", kind, first, parent, ids)
        for part in repeat.parts[1:] if kind == "open" else repeat.parts:
            self._hide(part, box)
        if kind == "open" and isinstance(first, Cluster):
            self._add_cluster(first, box)
        elif kind == "open":
            self.homes[ids[0]] = Home(box)

    def _hide(self, part: Part, box: int) -> None:
        home = Home(box, is_closed=True)
        self.homes.update((self.clusters.flow.instructions[member].name, home) for member in members_of(part))

    def _kind(self, cluster_id: str) -> Kind:
        if cluster_id not in self.options.open:
            return "closed"
        self.is_full = self.is_full or len(self.nodes) >= self.most
        return "closed" if self.is_full else "open"

    def _add_box(
        self,
        id_: str,
        title: str,
        cluster: ClusterKind,
        kind: Kind,
        part: Part,
        parent: int,
        members: tuple[str, ...] = (),
    ) -> int:
        inside = [self.clusters.flow.instructions[member] for member in members_of(part)]
        if kind == "open":
            label = Label(f"▾ {elide_middle(title, 40)}", "", ())
            size_px = (label.size_px[0], HEADER_PX)
        else:
            names = part.names_inside if isinstance(part, Cluster) else ()
            label = cluster_label(title, inside, self.clusters.results(part), names)
            size_px = label.size_px
        family = "parameter" if cluster in ("inputs", "outputs") else family_of_many(i.opcode for i in inside)
        words = (label.title, label.tag, label.lines)
        self.nodes.append(DrawnNode(id_, kind, family, *words, *size_px, parent, cluster=cluster, members=members))
        return len(self.nodes) - 1
