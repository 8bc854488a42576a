"""Connected components of NVIDIA NeMo Curator's fuzzy deduplication, on any device and without CUDA.

>>> import pyarrow as pa
>>> from pointerjump.dropins.nemo_curator import connected_components
>>> edges = pa.table({"_curator_dedup_id_x": [5, 1, 7], "_curator_dedup_id_y": [3, 5, 9]})
>>> connected_components(edges).sort_by("_curator_dedup_id").to_pydict()
{'_curator_dedup_id': [1, 3, 5, 7, 9], '_duplicate_group_id': [1, 1, 1, 7, 7]}

NeMo Curator's own stage needs CUDA, so nothing here is tested beside it, only against the columns that its
documentation names.
"""

from __future__ import annotations

from typing import Any

from pointerjump.dropins.given import opened
from pointerjump.ids.components import components_of_table
from pointerjump.tables.open import given_table
from pointerjump.tables.roles import Roles

__all__ = ["connected_components"]

ID = "_curator_dedup_id"
GROUP = "_duplicate_group_id"


def connected_components(
    edges: Any,
    source_field: str = f"{ID}_x",
    destination_field: str = f"{ID}_y",
    *,
    device: Any = None,
) -> Any:
    """Return the group of duplicates that each document is in.

    Parameters
    ----------
    edges : table
        Of pairs of documents, as the stage BucketsToEdges writes them.
    source_field, destination_field : str
        The columns with the two documents.
    device : optional
        As for :func:`pointerjump.components`.

    Returns
    -------
    table
        Of the kind that was given: ``_curator_dedup_id``, every document once, and
        ``_duplicate_group_id``, which is the smallest document of its group. What IdentifyDuplicates reads
        has these columns.

    Raises
    ------
    TableError
        If a column is missing, or cannot hold ids.
    """
    table = opened(edges, "edges")
    like_given = given_table(table, [source_field, destination_field]).like_given
    found = components_of_table(table, device=device, roles=Roles(source_field, destination_field))
    return like_given(found.arrow().select(["id", "component"]).rename_columns([ID, GROUP]))
