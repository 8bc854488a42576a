"""Functions that take the place of other tools' own: the same names, arguments and results.

polars_grouper    super_merger of polars-grouper
splink            clustering of Splink's predictions, at one threshold or several
datatrove         stage 3 of datatrove's MinHash deduplication
nemo_curator      connected components of NVIDIA NeMo Curator's fuzzy deduplication

`datatrove` consists of duplicates, first_kept and datatrove_stage, which is its pipeline step; `splink` has
splink_graph beside it; `given` takes tables of all kinds.
Each is tested against the tool itself. No tool is imported before it is needed.
"""
