"""The recipes for Ray Data and Spark in examples/ find the components of the whole table."""

from __future__ import annotations

import importlib.util
import os
import runpy
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pointerjump as pj

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "engines"
KINDS: dict[str, Callable[[Any], pa.Array]] = {
    "int64": lambda numbers: pa.array(numbers * 0x61C8864680B583EB, pa.int64()),
    "string": lambda numbers: pa.array([f"{i * 37 % 101}:{i}" for i in numbers.tolist()], pa.string()),
}
FEW = [(1, 1), (10, 1), (10, 24), (300, 7), (0, 3)]
"""Numbers of rows, and of partitions."""


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_script(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example as a script that reads a file in this folder, and compare what it writes."""
    pairs, result = table(300, "string"), folder / "clusters.parquet"
    pq.write_table(pairs, folder / "pairs.parquet", row_group_size=50)
    monkeypatch.setattr(sys, "argv", [name, str(folder / "pairs.parquet"), "a", "b", str(result)])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert in_order(pq.read_table(result)) == whole(pairs)


def table(rows: int, kind: str) -> pa.Table:
    """Return random pairs, with many small components and a large one, and a column that nobody asks for."""
    numbers = np.random.default_rng(rows).integers(0, 1 + rows * 3 // 2, (2, rows))
    a, b = map(KINDS[kind], numbers)
    return pa.table({"a": a, "score": np.zeros(rows), "b": b})


def in_order(found: pa.Table) -> dict[str, list[Any]]:
    return found.sort_by("id").to_pydict()


def whole(pairs: pa.Table) -> dict[str, list[Any]]:
    return in_order(pj.components(pairs, source="a", target="b").table())


# -- Ray -------------------------------------------------------------------------------------------

# Ray sets deprecated options of its own.
of_ray = pytest.mark.filterwarnings("ignore:`use_.*` is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    pytest.importorskip("ray.data", reason="ray[data] is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def in_blocks(ray: Any, pairs: pa.Table, blocks: int) -> Any:
    """Return a dataset in blocks of random sizes, some of them empty."""
    cuts = np.random.default_rng(blocks).integers(0, len(pairs) + 1, blocks - 1)
    ends = [0, *sorted(cuts.tolist()), len(pairs)]
    return ray.data.from_arrow([pairs.slice(i, j - i) for i, j in zip(ends, ends[1:], strict=False)])


def from_ray(ray: Any, dataset: Any) -> pa.Table:
    return pa.concat_tables(ray.get(dataset.to_arrow_refs()))


@of_ray
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "blocks"), FEW)
def test_blocks_of_ray(ray: Any, rows: int, blocks: int, kind: str) -> None:
    pairs = table(rows, kind)
    found = example("on_ray").components(in_blocks(ray, pairs, blocks), "a", "b", split_every=3)
    if rows:
        assert found.schema().names == ["id", "component", "size"]
        assert in_order(from_ray(ray, found)) == whole(pairs)
    else:
        assert found.count() == 0


@of_ray
@pytest.mark.parametrize("kept", [0, 4])
def test_blocks_of_ray_that_are_empty_after_a_filter(ray: Any, kept: int) -> None:
    pairs = table(60, "string").append_column("block", pa.array(np.repeat(np.arange(6), 10)))
    blocks = [pairs.slice(begin, 10) for begin in range(0, 60, 10)]
    dataset = ray.data.from_arrow(blocks).filter(expr=ray.data.expressions.col("block") == kept)
    found = example("on_ray").components(dataset, "a", "b", split_every=2)
    assert in_order(from_ray(ray, found)) == whole(blocks[kept])


@of_ray
def test_large_blocks_of_ray(ray: Any) -> None:
    pairs = table(400_000, "int64")
    found = example("on_ray").components(in_blocks(ray, pairs, 4), "a", "b", split_every=2)
    assert in_order(from_ray(ray, found)) == whole(pairs)


@of_ray
def test_ray_merges_two_forests_at_least(ray: Any) -> None:
    with pytest.raises(ValueError, match="split_every is 1: merge at least 2"):
        example("on_ray").components(in_blocks(ray, table(10, "int64"), 2), "a", "b", split_every=1)


@of_ray
def test_the_script_for_ray(ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_script("on_ray", tmp_path, monkeypatch)


# -- Spark -----------------------------------------------------------------------------------------

of_spark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if not ("JAVA_HOME" in os.environ or shutil.which("java")):
        pytest.skip("there is no Java")
    options = {
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        # Several partitions, although there are few rows.
        "spark.sql.shuffle.partitions": 4,
        "spark.sql.adaptive.coalescePartitions.enabled": False,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
        yield session
        session.stop()


@of_spark
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "partitions"), FEW)
def test_partitions_of_spark(spark: Any, rows: int, partitions: int, kind: str) -> None:
    pairs = table(rows, kind)
    df = spark.createDataFrame(pairs).repartition(partitions)
    assert df.rdd.getNumPartitions() == partitions
    found = example("on_spark").components(df, "a", "b").toArrow()
    assert found.schema.names == ["id", "component", "size"]
    assert found.schema.types == [pairs["a"].type, pairs["a"].type, pa.int64()]
    assert in_order(found) == whole(pairs)


@of_spark
def test_large_partitions_of_spark(spark: Any) -> None:
    pairs = table(400_000, "int64")
    found = example("on_spark").components(spark.createDataFrame(pairs).repartition(4), "a", "b")
    assert in_order(found.toArrow()) == whole(pairs)


@of_spark
def test_no_task_of_spark_does_all_the_work(spark: Any) -> None:
    pairs = spark.createDataFrame(table(300, "int64")).repartition(7)
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("components", "components")
    example("on_spark").components(pairs, "a", "b").collect()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup("components")]
    stages = sorted({stage for job in jobs for stage in job.stageIds})
    tasks = [tracker.getStageInfo(stage).numCompletedTasks for stage in stages]
    assert [count for count in tasks if count][-3:] == [7, 4, 1]


@of_spark
def test_the_script_for_spark(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_script("on_spark", tmp_path, monkeypatch)
