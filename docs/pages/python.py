"""The page of the Python interface: public functions and classes, by what a reader wants to do."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from textwrap import indent
from typing import Any

import pointerjump
from pages.docstrings import Link, call, first_line, inline, markdown
from pages.markdown import table


@dataclass(frozen=True)
class Group:
    """Names that belong together.

    Attributes
    ----------
    title, about : str
        The heading, and a sentence below it.
    names : tuple of str
        In the order in which a reader needs them.
    """

    title: str
    about: str
    names: tuple[str, ...]


GROUPS = (
    Group(
        "Graphs",
        "Edges, matrices, and graphs of other libraries. [Which algorithm when](which.md) helps to choose.",
        (
            "components",
            "connected_components",
            "spanning_forest",
            "Components",
            "ObjectComponents",
            "Graph",
            "number_ids",
        ),
    ),
    Group(
        "Tables of ids",
        "Pairs of ids that belong together, and groups with their members. [Tables](tables.md) explains "
        "more, and [Tables on a cluster](clusters.md) has `pointerjump.dask`.",
        (
            "TableComponents",
            "components_at",
            "ThresholdComponents",
            "update_clusters",
            "one_to_one_clusters",
            "forest_of",
            "merge_forests",
        ),
    ),
    Group(
        "Edges that keep coming",
        "[Edges without end](endless.md) explains more.",
        ("DisjointSet", "read_blocks", "Blocks", "verify_blocks"),
    ),
    Group(
        "Linked lists",
        "A list is a successor array: element `i` comes before element `successors[i]`, and the last element "
        "is its own successor.",
        ("list_rank", "list_scan"),
    ),
    Group(
        "Minimum spanning forests",
        "They keep each component connected, with the least total weight. "
        "[Minimum spanning forests](spanning_forests.md) explains more.",
        ("minimum_spanning_forest", "minimum_spanning_tree", "SpanningForest", "MinimumForest"),
    ),
    Group(
        "Single linkage",
        "Which clusters merge, as the weight of edges rises. "
        "[Minimum spanning forests](spanning_forests.md#single-linkage) explains more.",
        ("single_linkage", "Dendrogram", "CondensedTree", "FlatClusters", "mutual_reachability"),
    ),
    Group(
        "Rooted forests",
        "A forest is a graph without cycles. [Trees](trees.md) explains more.",
        ("rooted_forest", "RootedForest"),
    ),
    Group(
        "Bridges and blocks",
        "Single edges and vertices that hold a graph together. [Bridges and blocks](biconnectivity.md) "
        "explains more.",
        (
            "bridges",
            "articulation_points",
            "biconnected_components",
            "BiconnectedComponents",
            "two_edge_connected_components",
            "is_biconnected",
        ),
    ),
    Group(
        "Functional graphs",
        "In a functional graph every element has exactly one successor. Examples are linked lists, "
        "permutations and the parents of trees.",
        ("kth_successor", "cycles", "Cycles"),
    ),
    Group(
        "Images and volumes",
        "[Images and volumes](images.md) explains more.",
        (
            "label",
            "label_chunks",
            "stitch",
            "regions",
            "Regions",
            "contacts",
            "Contacts",
            "largest",
            "remove_small",
            "relabel_by_size",
            "clear_border",
            "fill_holes",
            "overlay",
            "wraps",
        ),
    ),
    Group(
        "Checking an answer",
        "These use no algorithm of this package. They return if the answer is right, and otherwise raise a "
        "[`VerificationError`](#VerificationError).",
        (
            "verify",
            "verify_forest",
            "verify_ranks",
            "verify_minimum_forest",
            "verify_merges",
            "verify_rooted",
            "verify_bridges",
            "verify_biconnected",
            "verify_labels",
        ),
    ),
    Group(
        "Reading and writing",
        "",
        ("read", "write", "read_labels", "write_labels", "read_successors", "write_successors"),
    ),
    Group(
        "Generating",
        "[Generators and presets](generators.md) shows all of them.",
        ("generate",),
    ),
    Group(
        "Devices and algorithms",
        "Put data on a device once, and use them many times.",
        ("devices", "device_queue", "algorithms", "to_device", "DeviceGraph", "DeviceList"),
    ),
)

ERRORS = tuple(
    name
    for name in pointerjump.__all__
    if inspect.isclass(thing := getattr(pointerjump, name)) and issubclass(thing, Exception | Warning)
)

FOR_OTHER_MODULES = {
    "Blocks": ("fingerprint",),
    "Components": ("counted",),
    "DeviceGraph": ("plan", "choose", "facts", "placed", "planned"),
    "DeviceList": ("placed",),
    "Graph": ("known_symmetric", "mark_symmetric"),
    "TableComponents": ("batches", "schema"),
}
"""Members that other modules of the package need and users do not, by class: the page leaves them out."""


def python_page() -> str:
    """Return the public functions and classes with their docstrings."""
    parts = [
        "# Python",
        "",
        "This page is for those who call pointerjump from Python. The examples assume `import "
        "pointerjump as pj`, which "
        "imports nothing else, and looks for no device, until a name is first used.",
        "",
    ]
    rows = []
    for group in GROUPS:
        rows.append((f"**[{group.title}](#{_anchor(group.title)})**", ""))
        rows += [(f"[`{name}`](#{name})", _summary(name)) for name in group.names]
    parts += [*table(("name", "what it is"), [*rows, ("**[Errors](#errors)**", "")]), ""]
    for group in GROUPS:
        parts += [f"## {group.title} {{ #{_anchor(group.title)} }}", "", group.about, ""]
        for name in group.names:
            parts += [f"### {name} {{ #{name} }}", "", *described(name)]
    return "\n".join([*parts, *errors(), "", "Next: [the command line](commands.md), or [files](files.md)."])


def described(name: str) -> list[str]:
    """Return a function or class: how it is called, its docstring and its members."""
    thing = getattr(pointerjump, name)
    text = markdown(inspect.getdoc(thing) or "", links_from(name))
    if not inspect.isclass(thing):
        return [call(f"pj.{name}", thing), text]
    made_by_users = "\nParameters\n" in (inspect.getdoc(thing) or "")
    parts = [*([call(f"pj.{name}", thing)] if made_by_users else []), text]
    for base in thing.__mro__[1:]:
        if base.__name__ in pointerjump.__all__:
            parts += [f"It also has the members of [`{base.__name__}`](#{base.__name__}).", ""]
    found = members(thing)
    properties = [each for each in found if not _is_called(thing, each)]
    parts += ["**Properties**", ""] if properties else []
    for member in properties:
        about, _, rest = (inspect.getdoc(vars(thing)[member]) or "").partition("\n\n")
        parts.append(f"- **`{member}`**{{ #{name}.{member} }}: {inline(about, links_from(name))}")
        parts += ["", indent(markdown(rest, links_from(name)), "    ")] if rest else []
    for member in found:
        if _is_called(thing, member):
            parts += ["", f"#### {name}.{member} {{ #{name}.{member} }}", "", *method(thing, member)]
    return [*parts, ""]


def method(thing: type, name: str) -> list[str]:
    """Return a method: how it is called, and its docstring."""
    stored = vars(thing)[name]
    owner = f"pj.{thing.__name__}" if isinstance(stored, classmethod) else _instance(thing.__name__)
    function = getattr(stored, "__func__", stored)
    text = markdown(inspect.getdoc(function) or "", links_from(thing.__name__))
    return [call(f"{owner}.{name}", function), text]


def _is_called(thing: type, member: str) -> bool:
    return inspect.isfunction(getattr(vars(thing)[member], "__func__", vars(thing)[member]))


def members(thing: type) -> list[str]:
    """Return the names of a class's members that users need, in the order of the source."""
    attributes = (inspect.getdoc(thing) or "").partition("\nAttributes\n")[2].partition("\nExamples\n")[0]
    described_by_class = re.findall(r"^(\w+) : ", attributes, re.MULTILINE)
    left_out = (*FOR_OTHER_MODULES.get(thing.__name__, ()), *described_by_class)
    return [
        name
        for name, member in vars(thing).items()
        if not name.startswith("_")
        and name not in left_out
        and inspect.getdoc(getattr(member, "__func__", member))
    ]


def links_from(name: str) -> Link:
    """Return what finds the anchor of a name that the docstring of `name`, or of its members, uses."""

    def link(wanted: str) -> str | None:
        wanted = wanted.removeprefix("pointerjump.").removeprefix("errors.")
        if wanted in ("GENERATORS", "PRESETS"):
            return "generators.md" if wanted == "GENERATORS" else "generators.md#presets"
        owner, _, member = wanted.rpartition(".")
        thing = getattr(pointerjump, owner or name)
        if inspect.isclass(thing) and member in members(thing):
            return f"#{owner or name}.{member}"
        return f"#{wanted}" if wanted in pointerjump.__all__ else None

    return lambda wanted: link(wanted) if _is_ours(wanted) else None


def _is_ours(name: str) -> bool:
    owner = name.removeprefix("pointerjump.").removeprefix("errors.").rpartition(".")[0]
    return not owner or owner in pointerjump.__all__


def errors() -> list[str]:
    """Return the errors and warnings, each with its first paragraph and what else it is."""
    parts = ["## Errors", "", "The message names the input, what is wrong with it, and how to fix it.", ""]
    for name in ERRORS:
        thing: Any = getattr(pointerjump, name)
        also = [f"`{base.__name__}`" for base in thing.__bases__ if base.__module__ == "builtins"]
        kind = f" It is also a {also[0]}." if also and also != ["`Exception`"] else ""
        parts.append(f"- **`{name}`**{{ #{name} }}: {_summary(name)}{kind}")
        rest = (inspect.getdoc(thing) or "").partition("\n\n")[2]
        parts += ["", indent(markdown(rest, links_from(name)), "    ")] if rest else []
    return [*parts, ""]


def _summary(name: str) -> str:
    return inline(first_line(getattr(pointerjump, name)), links_from(name)).replace("|", r"\|")


def _instance(name: str) -> str:
    """Return what examples call an object of a class: its name in small letters."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
