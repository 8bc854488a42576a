"""Replacements for functions of other tools, with the same names, arguments and results.

polars_grouper    super_merger of polars-grouper
splink            clustering of Splink's predictions, at one threshold or several
datatrove         stage 3 of datatrove's MinHash deduplication; `datatrove_stage` is the pipeline step
"""
