"""`MinhashDedupCluster` as a step of datatrove pipelines. No other module imports datatrove."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from datatrove.io import DataFolder, DataFolderLike, get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.utils.stats import MetricStats

from pointerjump.dropins.duplicates import Folder, clusters_of, write_clusters
from pointerjump.errors import FormatError, PointerjumpError


class MinhashDedupCluster(PipelineStep):  # type: ignore[misc, unused-ignore]
    """Pipeline step that clusters duplicates and writes lists of documents to remove.

    It replaces datatrove's step of the same name. It reports the same statistics, but updates each only once.

    Parameters
    ----------
    input_folder, output_folder : str, tuple or DataFolder
        The folder with the ``.dups`` files of stage 2, and the folder for the files that stage 4 reads.
    config : MinhashConfig, optional
        The configuration of the earlier stages. The number of ``.dups`` files must be a multiple of its
        ``num_buckets``.
    save_cluster_id, save_cluster_size, ignore_index_matches, device : optional
        The same as in :func:`pointerjump.dropins.datatrove.cluster`.
    lines_to_buffer : int
        Ignored, because records are read in large blocks.
    """

    type = "🫂 - DEDUP"
    name = "🎯 MinHash stage 3 (pointerjump)"

    def __init__(
        self,
        input_folder: DataFolderLike,
        output_folder: DataFolderLike,
        config: MinhashConfig | None = None,
        save_cluster_id: bool = False,
        save_cluster_size: bool = False,
        ignore_index_matches: bool = False,
        lines_to_buffer: int = 5,
        device: Any = None,
    ) -> None:
        super().__init__()
        self.input_folder = get_datafolder(input_folder)
        self.output_folder = get_datafolder(output_folder)
        self.config = config or MinhashConfig()
        self.save_cluster_id, self.save_cluster_size = save_cluster_id, save_cluster_size
        self.ignore_index_matches, self.lines_to_buffer = ignore_index_matches, lines_to_buffer
        self.device = device

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> None:
        """Cluster the documents of all files. `world_size` must be 1, because clustering is a single task."""
        if world_size != 1:
            raise PointerjumpError(f"clustering takes one task, not {world_size}: run it with tasks=1")
        source, target = (
            Folder(Path(each.path)) if each.is_local() else RemoteFolder(Path(each.path), each)
            for each in (self.input_folder, self.output_folder)
        )
        files, buckets = len(source.dups()), self.config.num_buckets
        if files % buckets:
            raise FormatError(
                f"{source.name}: has {files} .dups files, which is not a multiple of {buckets} buckets: "
                "run stage 2 to its end, or give the config that it had"
            )
        with self.track_time():
            found = clusters_of(source, self.ignore_index_matches, self.device)
            write_clusters(found, target, ids=self.save_cluster_id, sizes=self.save_cluster_size)
        sizes = found.sizes[found.sizes > 1]
        self.stat_update("duplicates", value=len(found.duplicates))
        self.stat_update("to_remove", value=len(found.removed))
        if self.save_cluster_id:
            self.stat_update("clusters", value=len(sizes))
        statistics = MetricStats()
        if len(sizes):  # in one go, because the usual method of a step needs a call for each size
            values = {
                "total": sizes.sum(),
                "mean": sizes.mean(),
                "variance": sizes.var(ddof=min(1, len(sizes) - 1)),
                "min": sizes.min(),
                "max": sizes.max(),
            }
            plain = {name: value.item() for name, value in values.items()}
            statistics = MetricStats.from_dict({**plain, "n": len(sizes), "unit": "cluster"})
        self.stats["cluster_size"] += statistics


@dataclass(frozen=True)
class RemoteFolder(Folder):
    """A datatrove folder on another machine. In an object store, only complete files are visible."""

    folder: DataFolder

    @property
    def name(self) -> str:
        return str(self.folder.resolve_paths(""))

    def dups(self) -> list[str]:
        return cast(list[str], self.folder.list_files(glob_pattern="*.dups"))

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        try:
            with self.folder.open(name, "rb") as file:
                yield file
        except FormatError as error:
            raise FormatError(f"{self.folder.resolve_paths(name)}: {error}") from error

    def write(self, name: str, content: bytes) -> None:
        self.folder.pipe_file(name, content)


__all__ = ["MinhashDedupCluster"]
