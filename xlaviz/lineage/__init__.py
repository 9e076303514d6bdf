"""What became of each instruction: step diffs, origins over one step, lineage over a pass sequence."""
