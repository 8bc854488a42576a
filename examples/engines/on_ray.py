"""The connected components of a table of pairs that no single machine can hold, with Ray Data.

    pip install 'pointerjump[cpu]' 'ray[data]'
    python on_ray.py pairs.parquet left right clusters.parquet

The last argument is a folder to write to. To use this from Python, copy the functions below.

The pairs need not fit in memory. The merged forest must, on one worker: it has every id of the table twice,
and merging takes another 100 bytes or so for each id.

A forest says only which ids are joined. So forests may be merged in any order, and if Ray runs a task again,
the result is the same.
"""

from __future__ import annotations

import sys

import pyarrow as pa
import ray.data

import pointerjump as pj


def components(dataset: ray.data.Dataset, source: str, target: str, split_every: int = 8) -> ray.data.Dataset:
    """Return a dataset with each id of two columns: id, component (its smallest id) and size.

    Both columns have one type. At most `split_every` forests are merged at a time.
    """
    if split_every < 2:
        raise ValueError(f"split_every is {split_every}: merge at least 2 forests at a time")
    pairs, columns = dataset.select_columns([source, target]), (source, target)
    forests = pairs.map_batches(pj.forest_of, fn_args=columns, batch_format="pyarrow", batch_size=None)
    # From here on the driver has only references. The forests go from worker to worker.
    left = forests.to_arrow_refs()
    while len(left) > 1:
        left = [merge.remote(*left[i : i + split_every]) for i in range(0, len(left), split_every)]
    return ray.data.from_arrow_refs([clusters.remote(forest) for forest in left])


@ray.remote
def merge(*forests: pa.Table) -> pa.Table:
    """Merge some forests into one."""
    some = [forest for forest in forests if forest.num_rows]  # Ray forgets the columns of an empty block
    return pj.merge_forests(some) if some else forests[0]


@ray.remote
def clusters(forest: pa.Table) -> pa.Table:
    """Return the components of a forest, whose rows are pairs too: an id, and one that it is joined with."""
    return pj.components(forest, source="id", target="root").table() if forest.num_rows else forest


if __name__ == "__main__":
    pairs, source, target, result = sys.argv[1:]
    components(ray.data.read_parquet(pairs), source, target).write_parquet(result)
