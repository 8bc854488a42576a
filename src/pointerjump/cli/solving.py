"""The commands that solve a problem, such as ``cc``, ``rank``, ``forest`` and ``mst``, with their options."""

from __future__ import annotations

from importlib import import_module
from math import isfinite
from typing import Any

import click

from pointerjump.cli.commands import (
    LABEL_FILES,
    OF_GRAPHS,
    Decorator,
    Example,
    a_name,
    checkpoint_option,
    command,
    device_option,
    file_options,
    input_argument,
    json_option,
    memory_option,
    output_option,
    run_options,
    specs_or_files,
    together,
    variant_option,
    verify_option,
)

TABLE_FILES = ".parquet, .arrow, .feather, .ipc, .csv or .tsv"
OF_TABLES = ("source", "target", "group", "member", "where", "nodes", "sort", "explain", "weak")

# -- types of values -------------------------------------------------------------------------------


def _names_of_devices(value: str) -> list[str] | str:
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise click.BadParameter(f"{value!r} names a device that is empty: write all, or NAME,NAME")
    return value if value == "all" else names


def _not_nan(context: click.Context, option: click.Parameter, value: float) -> float:
    """Reject NaN, which would pass every range check."""
    if value != value:
        raise click.BadParameter("it is not a number")
    return value


def _number(value: str) -> int | float:
    """Parse a number. Integers stay integers, no matter how large they are."""
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if isfinite(number):
            return number
    raise click.BadParameter(f"{value!r} is not a finite number")


def _numbers(value: str) -> list[int | float]:
    found = [_number(each) for each in value.split(",")]
    if len(set(found)) < len(found):
        raise click.BadParameter(f"{value!r} has a number twice: give each once")
    return found


def _integers(value: str, what: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, value.split(",")))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not {what}") from None


def _chunk(value: str) -> int | tuple[int, ...]:
    shape = _integers(value, "a chunk: write 256 or 64,512,512")
    return shape if len(shape) > 1 else shape[0]


def _channel(value: str) -> int | str:
    if value == "all":
        return value
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise click.BadParameter(f"{value!r} is not a channel: write a number from 0 on, or all")
    return int(value)


# -- what commands share ---------------------------------------------------------------------------

pair_options = together(
    click.option(
        "--source",
        metavar="COLUMN",
        type=a_name,
        help="Tables of pairs: the column with one id of each pair. [default: detected by name]",
    ),
    click.option(
        "--target", metavar="COLUMN", type=a_name, help="Tables of pairs: the column with the other id."
    ),
    click.option(
        "--where",
        nargs=3,
        multiple=True,
        metavar="COLUMN OPERATOR VALUE",
        help="Tables: read only the rows that meet this condition, such as --where score '>=' 0.9 or "
        "--where score 'is not' null. If the option is repeated, rows must meet all conditions.",
    ),
)
weight_option = click.option(
    "--weight", metavar="COLUMN", type=a_name, help="Tables of pairs: the column with the weights."
)
devices_option = click.option(
    "--devices",
    metavar="all|NAME,NAME",
    type=_names_of_devices,
    help="Divide the edges among several devices: all that work, or those named, as for --device.",
)
block_options = together(
    memory_option("Read the file block by block, and use at most this much memory, for example 2GiB."),
    checkpoint_option,
    click.option(
        "--checkpoint-every",
        metavar="SECONDS",
        type=click.FloatRange(0, 10**9),
        callback=_not_nan,
        default=60.0,
        show_default=True,
        help="The time between checkpoints.",
    ),
)


def edge_options(output: str) -> Decorator:
    """Return the options for reading the edges of a graph or table.

    `output` is the help text of ``--output``.
    """
    return together(
        pair_options,
        run_options,
        devices_option,
        output_option("-o", "--output", help=output),
        verify_option,
        block_options,
        file_options,
    )


def run_task(solve: str, **options: Any) -> None:
    """Import the function `solve`, such as "graphs.ranks_of_lists", and use it to carry out a task."""
    from pointerjump.cli.tasks import carry_out

    module, _, function = solve.partition(".")
    carry_out(getattr(import_module(f"pointerjump.cli.{module}"), function), **options)


# -- commands --------------------------------------------------------------------------------------


@command(
    Example(
        "The components of a random graph, and how many there are of each size",
        "pointerjump cc urand:vertices=1000,degree=1 --histogram",
    ),
    Example("One JSON document, for programs", "pointerjump cc kron:scale=12 --json"),
    Example(
        "The label of each vertex, checked and written to a file",
        "pointerjump cc grid2d:rows=3,columns=4,keep=0.5 --verify -o labels.csv",
        "cat labels.csv",
    ),
    Example("Edges on standard input", "printf '0 1\\n1 2\\n5 6\\n' | pointerjump cc -"),
    Example(
        "Pairs of ids in a table",
        "printf 'left,right\\nann,bob\\nbob,dee\\ncal,eve\\n' > pairs.csv",
        "pointerjump cc pairs.csv --source left --target right -o clusters.csv",
        "cat clusters.csv",
    ),
    Example("Why two of them are in one cluster", "pointerjump cc pairs.csv --explain ann dee"),
)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, shell_complete=specs_or_files)
@pair_options
@click.option(
    "--group",
    multiple=True,
    metavar="COLUMN",
    type=a_name,
    help="Tables of groups: the column with the groups. Ids that share a group belong together. If the "
    "option is repeated, ids belong together if they share a group in any of the columns.",
)
@click.option("--member", metavar="COLUMN", type=a_name, help="Tables of groups: the column with the ids.")
@click.option(
    "--nodes",
    metavar="FILE[:COLUMN]",
    type=a_name,
    help="Tables: a table of ids to include, even if they do not occur in INPUT.",
)
@click.option("--sort", is_flag=True, help="Tables: sort the output by component, and then by id.")
@click.option(
    "--explain",
    nargs=2,
    metavar="ID ID",
    help="Tables of pairs: show the rows that connect two ids; -o writes these rows to a file.",
)
@click.option(
    "--weak",
    metavar="ID",
    help="Tables of pairs: show each row whose removal would split the cluster of this id, and how "
    "many ids would be on either side; -o writes these rows to a file.",
)
@run_options
@devices_option
@click.option(
    "--labels",
    type=click.Choice(["consecutive", "representative"]),
    help="Number components from 0, or name them by their smallest vertex or id. [default: consecutive for "
    "graphs, representative for tables]",
)
@output_option(
    "-o",
    "--output",
    help=f"Write the labels of a graph ({LABEL_FILES}) or the clusters of a table ({TABLE_FILES}).",
)
@verify_option
@click.option("--top", metavar="N", type=click.IntRange(1), help="Show the N largest components.")
@click.option("--histogram", is_flag=True, help="Show how many components there are of each size.")
@block_options
@file_options
def cc(inputs: tuple[str, ...], **options: Any) -> None:
    """Find the connected components of a graph, or of the ids in a table.

    The vertices of a graph may be integers or names. The output is the label of each vertex. If a file is
    larger than memory, it is read block by block. In that case, ids are used as vertex numbers, and edges are
    not counted.

    A table contains pairs of ids in two columns (--source, --target), or groups and their members (--group,
    --member). Ids may be strings, integers or bytes. The table is a Parquet, Arrow or CSV file with named
    columns, or a folder of such files. The output is a table with the columns id, component and size.

    Several files, or a pattern such as 'part-*.parquet', are read as one input. - stands for standard input.

    If an option for tables is given, INPUT is read as a table; if an option for graphs is given, it is read
    as a graph. Otherwise, INPUT is a table if it is a folder, or a Parquet, Arrow, CSV or TSV file whose
    columns have common names for pairs, such as left and right. Any other input is a graph.
    """
    from pointerjump.solving.inputs import classify

    options["input"] = inputs[0] if len(inputs) == 1 else [*inputs]
    of_tables = [name for name in OF_TABLES if options[name] not in (None, False, ())]
    of_graphs = [
        name for name in (*OF_GRAPHS, "checkpoint", "devices") if options[name] not in (None, "auto")
    ]
    if classify(options["input"], columns=bool(of_tables), numbers=bool(of_graphs)).kind != "table":
        run_task("graphs.components_of_graph", **options)
    elif options["explain"] is not None or options["weak"] is not None:
        run_task("biconnectivity.explanation_of_table", **options)
    else:
        first = f"--{of_tables[0]}" if of_tables else None
        run_task("tables.components_of_table", first=first, **options)


@command(
    Example("Rank a list of a million elements", "pointerjump rank list:length=1000000,seed=1"),
    Example(
        "Rank two short lists in one array, and write each element's rank",
        "pointerjump rank lists:length=8,count=2 -o ranks.csv",
        "cat ranks.csv",
    ),
    Example(
        "Choose the algorithm, and check the ranks",
        "pointerjump rank list:length=65536 --algorithm wylie --verify",
    ),
)
@input_argument
@run_options
@output_option("-o", "--output", help=f"Write ranks: {LABEL_FILES}.")
@verify_option
@json_option
def rank(**options: Any) -> None:
    """Rank linked lists: find each element's distance to the last element of its list.

    INPUT is a successor array: a .npy file, or text with one successor per line. Use - to read such text from
    standard input. INPUT may also be a spec such as list:length=1000000,seed=1.
    """
    run_task("graphs.ranks_of_lists", **options)


@command(
    Example("A forest of a grid, checked", "pointerjump forest grid2d:rows=100,columns=100 --verify"),
    Example(
        "Three complete graphs, and the edges that keep each connected",
        "pointerjump forest cliques:count=3,size=3 -o forest.el",
        "cat forest.el",
    ),
)
@input_argument
@variant_option
@device_option
@output_option("-o", "--output", help="Write the forest's edges as a graph file.")
@verify_option
@file_options
def forest(**options: Any) -> None:
    """Find a spanning forest of a graph."""
    run_task("graphs.forest_of_graph", algorithm="auto", **options)


@command(
    Example(
        "Pairs with distances: the shortest ones that keep everything connected",
        "printf 'left,right,distance\\nann,bob,0.5\\nbob,dee,0.1\\nann,dee,0.2\\n' > near.csv",
        "pointerjump mst near.csv --weight distance --verify -o tree.csv",
        "cat tree.csv",
    ),
    Example(
        "Edges with weights on standard input, and the heaviest forest",
        "printf '0 1 5\\n1 2 6\\n0 2 1\\n' | pointerjump mst - --maximum",
    ),
)
@input_argument
@weight_option
@click.option(
    "--maximum", is_flag=True, help="Treat weights as similarities, and find the heaviest edges instead."
)
@edge_options(f"Write the forest's edges and their weights: {TABLE_FILES}.")
def mst(**options: Any) -> None:
    """Find the minimum spanning forest: the lightest edges that keep each component connected.

    INPUT is a file with weights: Matrix Market, .npz, .egr, .wsg, METIS, DIMACS, or an edge list with two ids
    and a weight on each line. Use - to read such a list from standard input. INPUT may also be a table of
    pairs, as for cc. In that case, --weight names the column with the weights.

    Among edges with equal weights, those that come first in the input are preferred. Edge lists, and other
    files that can be read block by block, may be larger than memory. In that case, ids are used as vertex
    numbers.
    """
    run_task("weighted.minimum_forest", **options)


@command(
    Example(
        "Clusters of pairs at two scores, with a column for each score",
        "printf 'left,right,score\\nann,bob,0.97\\nbob,dee,0.92\\ncal,eve,0.99\\n' > scored.csv",
        "pointerjump clusters scored.csv --weight score --maximum --at 0.95,0.9 -o clusters.csv",
        "cat clusters.csv",
    ),
    Example(
        "Clusters of different densities, of at least two vertices",
        "printf '0 1 1\\n1 2 2\\n2 3 9\\n3 4 2\\n4 5 1\\n' > path.el",
        "pointerjump clusters path.el --min-size 2",
    ),
)
@input_argument
@click.option(
    "--at",
    metavar="WEIGHT,WEIGHT",
    type=_numbers,
    help="Cut at these weights. Clusters are the components formed by all edges up to the weight.",
)
@click.option(
    "--min-size",
    metavar="N",
    type=click.IntRange(1),
    help="The smallest number of vertices in a cluster. With --at, smaller clusters are left out; "
    "otherwise, clusters are chosen as in HDBSCAN*.",
)
@click.option(
    "--method",
    type=click.Choice(["eom", "leaf"]),
    help="Without --at: choose the clusters that persist longest (eom) or those that never split (leaf). "
    "[default: eom]",
)
@weight_option
@click.option(
    "--maximum", is_flag=True, help="Treat weights as similarities, and merge the heaviest edges first."
)
@edge_options(f"Write the cluster of each vertex or id: {TABLE_FILES}.")
def clusters(**options: Any) -> None:
    """Cluster by single linkage, at given weights or as in HDBSCAN*.

    INPUT is a file with weights or a table of pairs, as for `mst`. For a table, --weight names the column
    with the weights. Weights are distances or, with --maximum, similarities.

    With --at, the output has one column for each given weight, such as component_0.9. Each such column
    contains the smallest id of the component, or nothing if the component has fewer ids than --min-size.
    Without --at, the output has the columns cluster (-1 for vertices in no cluster) and probability.
    """
    if options["at"] is None and options["min_size"] is None:
        raise click.UsageError("nothing says which clusters: give --at, --min-size, or both")
    if options["at"] is not None and options["method"] is not None:
        raise click.UsageError("--method chooses where no weights are given: leave out --at or --method")
    if options["at"] is None and options["min_size"] < 2:
        raise click.UsageError("--min-size is 1, and without --at a cluster has at least 2 vertices")
    run_task("weighted.clusters_by_weight", **options)


@command(
    Example("A binary tree: how high and how wide it is", "pointerjump tree tree:vertices=1000 --verify"),
    Example(
        "Root a path in its middle, and write a row for each vertex",
        "pointerjump tree path:vertices=5 --root 2 -o tree.csv",
        "cat tree.csv",
    ),
)
@input_argument
@click.option(
    "--root",
    "roots",
    metavar="V",
    multiple=True,
    help="A vertex, named as in the file, that becomes the root of its tree. May be repeated.",
)
@run_options
@output_option("-o", "--output", help=f"Write parents, depths, positions and subtree sizes: {TABLE_FILES}.")
@verify_option
@file_options
def tree(**options: Any) -> None:
    """Root a forest: find each vertex's parent, depth, subtree size, and position in preorder and postorder.

    INPUT is a graph without cycles. Each tree is rooted at its smallest vertex, unless --root names another
    vertex.
    """
    run_task("graphs.rooted_forest_of_graph", **options)


@command(
    Example(
        "Which pairs alone hold two groups together",
        "printf 'left,right\\nann,bob\\nbob,cal\\ncal,ann\\ncal,dee\\ndee,eve\\neve,dee\\n' > joined.csv",
        "pointerjump bridges joined.csv --verify -o bridges.csv",
        "cat bridges.csv",
    ),
    Example(
        "The bridges of a grid that has lost edges", "pointerjump bridges grid2d:rows=99,columns=99,keep=0.6"
    ),
)
@input_argument
@edge_options(f"Write the bridges: {TABLE_FILES}.")
def bridges(**options: Any) -> None:
    """Find the bridges: the edges whose removal splits a component in two.

    INPUT is a graph or a table of pairs, as for cc. Each row of a table is a separate edge, so two rows with
    the same ids are not bridges. In a graph, repeated edges count as one.
    """
    run_task("biconnectivity.bridges_of_graph", **options)


@command(
    Example(
        "Two triangles that share a vertex: which block each edge is in",
        "printf '0 1\\n1 2\\n2 0\\n2 3\\n3 4\\n4 2\\n' > bow.el",
        "pointerjump blocks bow.el --verify -o blocks.csv",
        "cat blocks.csv",
    ),
    Example("For programs", "pointerjump blocks urand:vertices=1000,degree=2 --json"),
)
@input_argument
@pair_options
@run_options
@output_option("-o", "--output", help=f"Write all edges with the numbers of their blocks: {TABLE_FILES}.")
@verify_option
@file_options
def blocks(**options: Any) -> None:
    """Find the blocks, or biconnected components, which stay connected if any single vertex is removed.

    INPUT is a graph or a table of pairs, as for bridges. Blocks are numbered in the order of their first
    edges. A loop belongs to no block; its block number is -1.
    """
    run_task("biconnectivity.blocks_of_graph", memory=None, checkpoint=None, devices=None, **options)


@command(
    Example(
        "Six pixels that touch only at their corners",
        "python -c \"import numpy as np; np.save('mask.npy', np.eye(6, dtype=bool))\"",
        "pointerjump label mask.npy",
    ),
    Example(
        "Pixels that touch at a corner belong together, too",
        "pointerjump label mask.npy --connectivity 2",
    ),
    Example(
        "Chunk by chunk, as for an image that is larger than memory; labels are checked and written",
        "pointerjump label mask.npy --chunk 4 --verify -o labels.npy",
    ),
    Example(
        "The two largest bright spots of a picture: in color, and in a table",
        "python -c \"import numpy as np; np.save('grey.npy', np.tile(np.arange(9) % 4, (9, 1)))\"",
        "pointerjump label grey.npy --threshold otsu --largest 2 --overlay -o spots.png --regions spots.csv",
        "cat spots.csv",
    ),
)
@input_argument
@click.option(
    "--connectivity",
    metavar="N",
    type=int,
    default=1,
    show_default=True,
    help="The number of axes along which neighbors may differ, or the number of neighbors of a pixel: 4 or 8 "
    "in two dimensions, 6, 18 or 26 in three.",
)
@click.option("--multilabel", is_flag=True, help="Neighbors with equal values belong together.")
@click.option(
    "--delta",
    metavar="D",
    type=_number,
    help="Neighbors belong together if their values differ by at most D.",
)
@click.option(
    "--background",
    metavar="VALUE|none",
    type=lambda value: value if value == "none" else _number(value),
    help="Pixels with this value belong to no component. With none, there is no background. [default: 0]",
)
@click.option(
    "--threshold",
    metavar="T|otsu",
    type=lambda value: value if value == "otsu" else _number(value),
    help="Pixels above this value are foreground. otsu chooses the value that best separates the pixels.",
)
@click.option(
    "--wrap-axes",
    metavar="A,B",
    type=lambda value: _integers(value, "axes: write 0 or 0,1"),
    help="Periodic axes, counted from 0. The last pixels along such an axis are neighbors of the first ones.",
)
@click.option(
    "--channel",
    metavar="N|all",
    type=_channel,
    help="The channel to label, counted from 0. With all, the channels are the slices of a volume.",
)
@run_options
@click.option(
    "--chunk",
    metavar="N,N,...",
    type=_chunk,
    help="Label chunk by chunk, with this many pixels along each axis. One number applies to all axes.",
)
@memory_option("Label chunk by chunk if the run would take more memory than this, for example 2GiB.")
@checkpoint_option
@output_option(
    "-o", "--output", help="Write the labels: .npy, .npz, .png (16 bits), .tif, .nii, .nii.gz or .zarr."
)
@click.option(
    "--overlay", is_flag=True, help="Write a picture (.png) of the image with colored labels instead."
)
@click.option("--min-size", metavar="N", type=click.IntRange(1), help="Keep components of at least N pixels.")
@click.option("--largest", metavar="K", type=click.IntRange(1), help="Keep the K largest components.")
@output_option(
    "--regions",
    help=f"Write sizes, boxes, centroids and intensities of the components: {TABLE_FILES}.",
)
@verify_option
@json_option
def label(**options: Any) -> None:
    """Label the components of an image or a volume.

    By default, neighbors belong together if both are foreground (not 0). With --multilabel, their values must
    be equal; with --delta, their values must be close. The background has label 0. Components have the labels
    1, 2, ... in the order of their first pixels.

    INPUT is a .npy file, a .npz file with one array, a .tif file (a stack is a volume), a .nii or .nii.gz
    file, a .zarr folder (or one of its arrays, such as a.zarr/NAME) or a picture: .png .bmp .gif .jpg .pbm
    .pgm .ppm .webp. Pixels of a JPEG file are not exact, so use --threshold. All formats except .npy and .npz
    need additional packages; pip install 'pointerjump[images]' installs all of them.
    """
    run_task("images.labels_of_image", **options)
