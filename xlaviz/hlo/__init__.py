"""HLO: the model, and the readers that make it.

- `model`, `shapes`: what everything else works with.
- `read`: any file's bytes -> modules. `text`: HLO text -> modules. `proto`: HloProto, HloSnapshot, HloModuleProto.
- Text: `lexer`, `parser` (`lines` takes the usual line in one go, `shape_text`, `attribute_text`, `literal_text`,
  `stack_frames`) make the drafts of `draft`; `link` (`names`, `infer`, `async_sugar`) makes the module of them.
- Protos: `attributes` (`op_attributes`, `shardings`, `windows`, `module_attributes`), `literals`, `shape_proto`,
  `metadata_proto` put into words what XLA prints.
- `order`: the one order of computations that text and proto share. `printer`: modules -> HLO text.
"""
