"""Stage 3 of datatrove's deduplication: the same files as its own, from the same .dups."""

from __future__ import annotations

import pickle
import random
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import pointerjump as pj
from pointerjump.dropins import datatrove
from pointerjump.dropins.datatrove import cluster
from pointerjump.dropins.duplicates import kept_vertices
from pointerjump.formats.dups import INDEX

Record = tuple[int, int, int, int]
EVERYTHING = {"save_cluster_id": True, "save_cluster_size": True}


def save(folder: Path, *files: Iterable[Record]) -> Path:
    folder.mkdir()
    for number, records in enumerate(files):
        content = b"".join(struct.pack("<4I", *record) for record in records)
        (folder / f"{number:05d}_00.dups").write_bytes(content)
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


def numbers(content: bytes) -> list[int]:
    return np.frombuffer(content, "<u4").tolist()


def random_files(seed: int, documents: int, records: int, index: float = 0.0) -> list[list[Record]]:
    """Records as stage 2 writes them, but with ends in any order. No document is paired with itself."""
    rng = random.Random(seed)
    names = [(rng.randrange(3), number) for number in range(documents)]

    def record() -> Record:
        a, b = rng.sample(names, 2)
        return (INDEX, INDEX, *b) if rng.random() < index else (*a, *b)

    return [[record() for _ in range(records)] for _ in range(4)]


def serial_clusters(files: list[list[Record]], *, ignore: bool = False) -> dict[tuple[int, int], Any]:
    """Each document's cluster, as a list with the kept document first: the serial definition."""
    of: dict[Any, list[Any]] = {}
    for a, b, c, d in (record for records in files for record in records):
        if ignore and (a, b) == (INDEX, INDEX):
            continue
        first, second = of.setdefault((a, b), [(a, b)]), of.setdefault((c, d), [(c, d)])
        if first is second:
            continue
        index_first, index_second = ((INDEX, INDEX) in cluster for cluster in (first, second))
        if index_second or (not index_first and len(first) < len(second)):
            first, second = second, first
        first += second
        of.update(dict.fromkeys(second, first))
    return of


@pytest.mark.parametrize("index", [0.0, 0.05])
@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize(("documents", "records"), [(40, 3), (40, 9), (300, 40), (300, 200)])
def test_what_is_kept_is_what_union_by_size_keeps(
    documents: int, records: int, ignore: bool, index: float, tmp_path: Path
) -> None:
    for seed in range(5):
        files = random_files(seed, documents, records, index)
        source = save(tmp_path / f"in{seed}", *files)
        found = cluster(source, tmp_path / "out", ignore_index_matches=ignore)
        expected = serial_clusters(files, ignore=ignore)
        removed = zip(*(each.tolist() for each in found.documents.of(found.removed)), strict=True)
        assert list(removed) == sorted(node for node in expected if expected[node][0] != node)


def test_the_files(tmp_path: Path) -> None:
    source = save(tmp_path / "in", [(0, 4, 2, 1), (2, 7, 2, 8)], [(2, 1, 2, 3)], [])
    found = cluster(source, tmp_path / "out", **EVERYTHING)
    files = {name: numbers(content) for name, content in files_in(tmp_path / "out").items()}
    assert files == {
        "000002.remove": [1, 3, 8],
        "000000.clusters": [4, 0],
        "000002.clusters": [1, 0, 3, 0, 7, 1, 8, 1],
        "000000.sizes": [4, 3],
        "000002.sizes": [1, 3, 3, 3, 7, 2, 8, 2],
    }
    assert str(found) == "2 clusters of 5 documents, 3 to remove"


def test_all_that_match_the_index_are_removed(tmp_path: Path) -> None:
    records = [(0, 0, 0, 1), (0, 1, 0, 2), (INDEX, INDEX, 0, 2), (0, 5, 0, 6)]
    cluster(save(tmp_path / "in", records), tmp_path / "out", save_cluster_id=True)
    cluster(tmp_path / "in", tmp_path / "ignored", ignore_index_matches=True)
    files = files_in(tmp_path / "out")
    assert numbers(files["000000.remove"]) == [0, 1, 2, 6]
    assert numbers(files[f"{INDEX}.clusters"]) == [INDEX, 0]
    assert numbers(files_in(tmp_path / "ignored")["000000.remove"]) == [1, 2, 6]


def test_records_after_the_last_decision_are_not_read(tmp_path: Path) -> None:
    def edges() -> Any:
        yield np.array([0, 2]), np.array([1, 3])
        raise AssertionError("every cluster has been decided")

    labels, sizes = np.array([0, 0, 1, 1]), np.array([2, 2])
    assert kept_vertices(edges(), labels, sizes, None).tolist() == [0, 2]
    chain = [(np.array([1, 2, 0]), np.array([2, 3, 1]))]
    assert kept_vertices(chain, np.array([0, 0, 0, 0, 1]), np.array([4, 1]), None).tolist() == [1, -1]


def test_nothing_is_alike(tmp_path: Path) -> None:
    found = cluster(save(tmp_path / "in", [], []), tmp_path / "out", **EVERYTHING)
    assert (found.removed.tolist(), files_in(tmp_path / "out")) == ([], {})


# -- faults ------------------------------------------------------------------------------------------


def test_faults_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(pj.FormatError, match=r"empty: has no \.dups files: name the folder that stage 2"):
        cluster(tmp_path / "empty", tmp_path / "out")
    source = save(tmp_path / "in", [(0, 0, 0, 1)], [(0, 0, 0, 1)])
    (source / "00001_00.dups").write_bytes(bytes(21))
    with pytest.raises(pj.FormatError, match=r"in/00001_00\.dups: ends 5 bytes into a record of 16"):
        cluster(source, tmp_path / "out")
    (source / "00001_00.dups").write_bytes(struct.pack("<4I", 0, 0, INDEX, 3))
    with pytest.raises(pj.FormatError, match=r"in/00001_00\.dups: record 0 has file 4294967295"):
        cluster(source, tmp_path / "out")
    assert files_in(tmp_path / "out") == {}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    source = save(tmp_path / "in", [(0, 0, 0, 1)])
    (tmp_path / "out" / "000000.remove").mkdir(parents=True)
    with pytest.raises(pj.FormatError, match=r"000000\.remove: is a folder"):
        cluster(source, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["000000.remove"]


def test_the_command(tmp_path: Path) -> None:
    source = save(tmp_path / "in", [(0, 0, 0, 1)])
    ran = CliRunner().invoke(datatrove.main, [str(source), str(tmp_path / "out"), "--save-cluster-size"])
    assert (ran.exit_code, ran.output) == (0, "1 clusters of 2 documents, 1 to remove\n")
    assert sorted(files_in(tmp_path / "out")) == ["000000.remove", "000000.sizes"]
    ran = CliRunner().invoke(datatrove.main, [str(tmp_path / "none"), str(tmp_path / "out")])
    assert (ran.exit_code, ran.output.count("\n")) == (2, 1)
    assert "has no .dups files" in ran.output


# -- beside datatrove itself -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minhash() -> Any:
    """datatrove's module with its stages."""
    pytest.importorskip("spacy", reason="datatrove splits English into words with it")
    return pytest.importorskip("datatrove.pipeline.dedup.minhash")


@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize(("documents", "records"), [(40, 9), (2000, 800)])
def test_files_and_statistics_are_datatroves(
    minhash: Any, documents: int, records: int, ignore: bool, tmp_path: Path
) -> None:
    source = save(tmp_path / "in", *random_files(1, documents, records, 0.02))
    config = minhash.MinhashConfig(num_buckets=4)
    options = {"config": config, "ignore_index_matches": ignore, **EVERYTHING}
    theirs = minhash.MinhashDedupCluster(str(source), str(tmp_path / "theirs"), **options)
    ours = datatrove.MinhashDedupCluster(str(source), str(tmp_path / "ours"), **options)
    theirs.run()
    pickle.loads(pickle.dumps(ours)).run()  # as an executor hands it to another process
    ours.run()
    assert files_in(tmp_path / "ours") == files_in(tmp_path / "theirs") != {}
    for name in ("duplicates", "to_remove", "clusters"):
        assert ours.stats[name].total == theirs.stats[name].total
    assert ours.stats["cluster_size"].to_dict() == pytest.approx(theirs.stats["cluster_size"].to_dict())


def corpus(seed: int) -> list[list[str]]:
    """Texts for two tasks; half of them are others' with a word or two changed, or nothing at all."""
    rng = random.Random(seed)
    texts = [["".join(rng.choices("abcdefghij", k=3)) for _ in range(40)] for _ in range(60)]
    for _ in range(60):
        words = list(rng.choice(texts))
        for _ in range(rng.randrange(4)):
            words[rng.randrange(len(words))] = "changed"
        texts.append(words)
    rng.shuffle(texts)
    return [[" ".join(words) for words in texts[i::2]] for i in (0, 1)]


@pytest.mark.parametrize("ignore", [False, True])
def test_the_same_documents_stay_as_in_datatroves_own_run(minhash: Any, ignore: bool, tmp_path: Path) -> None:
    """Stages 1 to 4, on texts of which some are in the index of an earlier corpus."""
    from datatrove.data import Document

    config = minhash.MinhashConfig(num_buckets=5, hashes_per_bucket=2, n_grams=2)
    where = {name: str(tmp_path / name) for name in ("sigs", "index", "dups", "old", "theirs", "ours")}

    def documents(texts: list[str], task: int) -> list[Any]:
        return [Document(text=text, id=f"{task}/{i}") for i, text in enumerate(texts)]

    tasks = [documents(texts, task) for task, texts in enumerate(corpus(1))]
    old = [documents(corpus(1)[0][:8], 9)]
    for of, folder in ((tasks, "sigs"), (old, "old")):
        for task, some in enumerate(of):
            minhash.MinhashDedupSignature(where[folder], config).run(some, task)
    for bucket in range(5):
        minhash.MinhashBuildIndex(where["old"], where["index"], "old", config).run(None, bucket, 5)
        buckets = minhash.MinhashDedupBuckets(where["sigs"], where["dups"], where["index"], config, False)
        list(buckets.run(None, bucket, 5) or ())
    stayed = {}
    for name, step in (("theirs", minhash.MinhashDedupCluster), ("ours", datatrove.MinhashDedupCluster)):
        step(where["dups"], where[name], config, True, True, ignore).run()
        stage4 = minhash.MinhashDedupFilter(where[name], load_cluster_ids=True, load_cluster_sizes=True)
        stayed[name] = [[d.id, d.metadata] for t, some in enumerate(tasks) for d in stage4.run(some, t, 2)]
    assert stayed["ours"] == stayed["theirs"]
    assert 20 < len(stayed["ours"]) < 90
    assert files_in(tmp_path / "ours") == files_in(tmp_path / "theirs")
    removed = sum(path.stat().st_size for path in (tmp_path / "ours").glob("*.remove")) // 4
    assert removed == 120 - len(stayed["ours"])


def test_a_folder_elsewhere(minhash: Any, tmp_path: Path) -> None:
    """fsspec's own file system in memory stands in for a store of objects."""
    import fsspec
    from datatrove.io import DataFolder

    config = minhash.MinhashConfig(num_buckets=4)
    source = save(tmp_path / "in", *random_files(2, 50, 20))
    cluster(source, tmp_path / "out", **EVERYTHING)
    memory = fsspec.filesystem("memory")
    for name, content in files_in(source).items():
        memory.pipe_file(f"/in/{name}", content)
    given, written = DataFolder("/in", memory), DataFolder("/out", memory)
    datatrove.MinhashDedupCluster(given, written, config, True, True).run()
    assert {name: written.cat_file(name) for name in written.list_files()} == files_in(tmp_path / "out")
    memory.pipe_file("/in/00003_00.dups", bytes(5))
    with pytest.raises(pj.FormatError, match=r"/in/00003_00\.dups: ends 5 bytes into a record"):
        datatrove.MinhashDedupCluster(given, written, config).run()


def test_a_step_refuses_what_datatroves_refuses(minhash: Any, tmp_path: Path) -> None:
    source = save(tmp_path / "in", [(0, 0, 0, 1)])
    step = datatrove.MinhashDedupCluster(str(source), str(tmp_path / "out"))
    with pytest.raises(pj.FormatError, match=r"has 1 \.dups files, which is not a multiple of 14 buckets"):
        step.run()
    with pytest.raises(pj.PointerjumpError, match="clustering takes one task, not 2"):
        step.run(world_size=2)
