"""Stage 3 of datatrove's MinHash deduplication, which clusters duplicates and decides which ones to keep.

In a pipeline, import `MinhashDedupCluster` from here. Without datatrove, call :func:`cluster` or run::

    python -m pointerjump.dropins.datatrove DUPS_FOLDER OUTPUT_FOLDER

The output files are identical to those of datatrove. They contain cluster and document numbers as uint32.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump.errors import PointerjumpError

if TYPE_CHECKING:
    from pointerjump.dropins.datatrove_stage import MinhashDedupCluster
    from pointerjump.dropins.duplicates import DuplicateClusters
    from pointerjump.formats.files import PathLike

__all__ = ["MinhashDedupCluster", "cluster"]


def cluster(
    input_folder: PathLike,
    output_folder: PathLike,
    *,
    save_cluster_id: bool = False,
    save_cluster_size: bool = False,
    ignore_index_matches: bool = False,
    device: Any = None,
) -> DuplicateClusters:
    """Cluster the similar documents that stage 2 found, and write lists of documents to remove.

    As in datatrove, the order of the records in the ``.dups`` files determines which document of a cluster is
    kept. Each document takes about 20 bytes of memory. Documents are numbered within each task of stage 1.
    Every number up to the largest one in the records counts as a document.

    Parameters
    ----------
    input_folder : path
        The folder that contains all ``.dups`` files of stage 2.
    output_folder : path
        The folder for the results. It is created if it does not exist. A file such as ``000000.remove`` is
        written for each task of stage 1 whose output contains documents to remove.
    save_cluster_id, save_cluster_size : bool
        Whether to write ``.clusters`` and ``.sizes`` files as well.
    ignore_index_matches : bool
        Whether to ignore matches with an index of older data. By default, all documents in clusters
        with such a match are removed.
    device : optional
        The device, as in :func:`pointerjump.components`.

    Returns
    -------
    DuplicateClusters
        The clusters, and the document that is kept from each of them.

    Raises
    ------
    FormatError
        If there are no ``.dups`` files, if a file is damaged, or if a file cannot be written. No file is left
        half-written.
    MemoryLimitError
        If there is not enough memory for all documents.
    """
    from pointerjump.dropins.duplicates import Folder, clusters_of, write_clusters

    source, target = Folder(Path(input_folder)), Folder(Path(output_folder))
    found = clusters_of(source, ignore_index_matches, device)
    write_clusters(found, target, ids=save_cluster_id, sizes=save_cluster_size)
    return found


@click.command()
@click.argument("input_folder")
@click.argument("output_folder")
@click.option("--save-cluster-id", is_flag=True, help="Write .clusters files, too.")
@click.option("--save-cluster-size", is_flag=True, help="Write .sizes files, too.")
@click.option("--ignore-index-matches", is_flag=True, help="Keep documents that match only an index.")
@click.option("--device", help="As for pointerjump cc.")
def main(input_folder: str, output_folder: str, **options: Any) -> None:
    """Cluster the .dups files in INPUT_FOLDER, and write .remove files to OUTPUT_FOLDER."""
    try:
        click.echo(cluster(input_folder, output_folder, **options))
    except PointerjumpError as error:
        click.echo(f"pointerjump: {error}", err=True)
        sys.exit(2)


def __getattr__(name: str) -> Any:
    """Import the pipeline step only when it is needed, because it requires datatrove."""
    if name != "MinhashDedupCluster":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pointerjump.dropins.datatrove_stage import MinhashDedupCluster

    return MinhashDedupCluster


if __name__ == "__main__":
    main()
