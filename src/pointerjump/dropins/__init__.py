"""Replacements for functions of other tools, with the same names, arguments and results.

polars_grouper    super_merger of polars-grouper
splink            clustering of Splink's predictions, at one threshold or several
datatrove         stage 3 of datatrove's MinHash deduplication; `datatrove_stage` is a step of pipelines

Each replacement is tested against the tool itself. Tools are imported only when they are needed.
"""
