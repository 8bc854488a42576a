"""The connected components of a table of pairs that no single machine can hold, with Spark.

    pip install 'pointerjump[cpu]' 'pyspark[sql]'
    python on_spark.py pairs.parquet left right clusters.parquet

Spark needs Java 17 or later. The last argument is a folder to write to. To use this from Python, copy the
functions below.

The pairs need not fit in memory. The merged forest must, on one worker: it has every id of the table twice,
and merging takes another 100 bytes or so for each id. This is not Java's memory, but what is left for Python
(`spark.executor.memoryOverhead`).

A forest says only which ids are joined. So forests may be merged in any order, and if Spark runs a task
again, or twice at the same time, the result is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import pointerjump as pj

Batches = Iterator[pa.RecordBatch]


def components(df: DataFrame, source: str, target: str) -> DataFrame:
    """Return a frame with each id of two columns: id, component (its smallest id) and size.

    Both columns have one type. Nothing runs before you use the result; if you do so twice, persist it.
    """
    ids = df.schema[source].dataType.simpleString()
    forest = f"id {ids}, root {ids}"

    # A forest of each partition.
    forest_of = on_partition(lambda pairs: pj.forest_of(pairs, source, target))
    forests = df.select(source, target).mapInArrow(forest_of, forest)

    # A forest's rows are pairs too, so they can be dealt out by their ids. Then each id is left about once.
    # (With coalesce instead of repartition, a single task would do all the work, from the first read on.)
    merged = forests.repartition("id").mapInArrow(on_partition(pj.merge_forests), forest)

    # All that is left, in one partition.
    clusters = on_partition(lambda forests: pj.components(forests, source="id", target="root").table())
    return merged.repartition(1).mapInArrow(clusters, f"id {ids}, component {ids}, size bigint")


def on_partition(find: Callable[[Batches], pa.Table]) -> Callable[[Batches], Batches]:
    """Return what Spark runs on each partition: it finds a table of all rows, and yields it in batches."""

    def run(batches: Batches) -> Batches:
        first = next(batches, None)
        if first is not None:  # otherwise the partition is empty
            yield from find(chain([first], batches)).to_batches(max_chunksize=100_000)

    return run


if __name__ == "__main__":
    pairs, source, target, result = sys.argv[1:]
    spark = SparkSession.builder.getOrCreate()
    components(spark.read.parquet(pairs), source, target).write.parquet(result)
