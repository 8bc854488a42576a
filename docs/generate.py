"""Makes the pages that say what the code says: algorithms, properties, functions, commands and shapes.

mkdocs runs this as a hook (mkdocs.yml). The pages exist in the site only, never in the source tree.
"""

from __future__ import annotations

import inspect
import re
from importlib.resources import files as resources
from pathlib import Path
from runpy import run_path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import pointerjump
from pointerjump.cli import cli
from pointerjump.measure import PROPERTIES, Property, measure
from pointerjump.measure.drawing import draw
from pointerjump.registry import ALGORITHMS, Algorithm

BENCHES = Path(__file__).resolve().parents[1] / "benches"

LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also")
"""Sections of a docstring whose lines are names, with text that belongs to them indented below."""

PROBLEMS = {
    "components": "Connected components",
    "spanning-forest": "Spanning forest",
    "list-ranking": "List ranking",
    "list-scan": "List scan",
    "id-numbering": "Numbers for ids",
    "image-labelling": "Labels for images",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "algorithms/index.md": algorithm_index(),
        **{f"algorithms/{each.name}.md": algorithm_page(each) for each in ALGORITHMS.values()},
        "properties.md": properties_page(),
        "python.md": python_page(),
        "commands.md": commands_page(),
        "shapes.md": shapes_page(),
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    return files


# -- algorithms ------------------------------------------------------------------------------------


def algorithm_index() -> str:
    """Return a table of all algorithms, by problem."""
    parts = [
        "# Algorithms",
        "Each page is made from the algorithm's own files and its entry in the registry.",
        "",
    ]
    for problem, title in PROBLEMS.items():
        parts += [
            f"## {title}",
            "",
            "| name | what it is | reference | kernels | from |",
            "| --- | --- | --- | --- | --- |",
        ]
        parts += [index_line(each) for each in ALGORITHMS.values() if each.problem == problem]
        parts.append("")
    return "\n".join(parts)


def index_line(algorithm: Algorithm) -> str:
    """Return what the table says of one algorithm."""
    reference, kernels = ("yes" if has else "" for has in (algorithm.reference, algorithm.kernels))
    name = f"[`{algorithm.name}`]({algorithm.name}.md)"
    return f"| {name} | {algorithm.title} | {reference} | {kernels} | {algorithm.paper} |"


def algorithm_page(algorithm: Algorithm) -> str:
    """Return an algorithm's page: what it does, its variants, its code, and a run as a picture."""
    parts = [
        f"# {algorithm.title}",
        "",
        f"`{algorithm.name}`, {PROBLEMS[algorithm.problem].lower()}. {algorithm.paper}.",
        "",
    ]
    module = algorithm.load("reference") if algorithm.reference else None
    if module:
        parts += prose(module.__doc__ or "")
    parts += variants(algorithm)
    if algorithm.needs:
        parts += [f"Its kernels need: {', '.join(algorithm.needs)}.", ""]
    if algorithm.borrows:
        parts += [f"Besides its own kernels it runs pyopencl's {' and '.join(algorithm.borrows)}.", ""]
    parts += usage(algorithm)
    if algorithm.parents and algorithm.problem == "components":
        parts += picture(algorithm)
    if module:
        parts += ["## The reference", "", code("python", without_docstring(inspect.getsource(module)))]
    if algorithm.kernels:
        source = (resources("pointerjump.kernels_cl") / f"{algorithm.module}.cl").read_text()
        parts += ["## The kernels", "", code("c", source)]
    return "\n".join(parts)


def prose(docstring: str) -> list[str]:
    """Return a module docstring as paragraphs, its first line left out (it is the title)."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")[1:]
    text = [re.sub(r"``(.+?)``", r"`\1`", paragraph) for paragraph in paragraphs]
    return [part for paragraph in text for part in (emphasised(paragraph), "")]


def emphasised(paragraph: str) -> str:
    """Return a paragraph with its first word in bold, if that says what it is about."""
    return re.sub(r"^(Input|Deviations?|Beyond the paper):", r"**\1:**", paragraph)


def variants(algorithm: Algorithm) -> list[str]:
    """Return a table of the axes, if there are any."""
    if not algorithm.axes:
        return []
    table = [
        "## Variants",
        "",
        "| choice | values, the default first | what it is | who has it |",
        "| --- | --- | --- | --- |",
    ]
    for axis in algorithm.axes:
        values = ", ".join(f"`{str(value).lower()}`" for value in axis.values)
        table.append(f"| `{axis.name}` | {values} | {axis.meaning} | {' and '.join(axis.sides)} |")
    return [*table, ""]


def usage(algorithm: Algorithm) -> list[str]:
    """Return the command that runs it."""
    device = "" if algorithm.kernels else " --device reference"
    command = {
        "components": f"pointerjump cc kron:scale=10 --algorithm {algorithm.name}{device} --verify",
        "spanning-forest": "pointerjump forest kron:scale=10 --verify",
        "list-ranking": f"pointerjump rank list:length=1000 --algorithm {algorithm.name}{device} --verify",
    }.get(algorithm.problem)
    return [code("sh", command)] if command else []


def picture(algorithm: Algorithm) -> list[str]:
    """Return a run on a small graph, phase by phase."""
    return [
        "## A run",
        "",
        "The edges of the graph are drawn below the vertices. Above them are the parent pointers, or labels, "
        "after each phase that changed any, with new ones in orange. A bold ring marks a vertex that points "
        "to itself, a dashed one a vertex that points nowhere yet.",
        "",
        draw(algorithm.name),
        "",
        code("sh", f"pointerjump draw {algorithm.name} -o run.svg"),
    ]


# -- properties, functions, commands -----------------------------------------------------------------


def properties_page() -> str:
    """Return all properties, each with the table of its default inputs."""
    parts = [
        "# Measured properties",
        "",
        "What the papers measured that does not depend on hardware, counted on the references. Each table "
        "was made while this page was built, by the command above it.",
        "",
    ]
    for each in PROPERTIES:
        parts += [
            f"## {each.title} {{ #{each.name} }}",
            "",
            f"{each.source}.",
            "",
            code("sh", f"pointerjump measure {each.name}"),
        ]
        parts += [*property_table(each), "", each.about, ""]
    return "\n".join(parts)


def property_table(which: Property) -> list[str]:
    """Return a property's table as Markdown."""
    found = measure(which.name)
    table = [
        "| " + " | ".join(column.heading for column in which.columns) + " |",
        "|" + " --- |" * len(which.columns),
    ]
    for line in found.lines:
        table.append("| " + " | ".join(column.text(line[column.name]) for column in which.columns) + " |")
    return table


def python_page() -> str:
    """Return the public functions and classes with their docstrings."""
    parts = [
        "# Python",
        "",
        "`import pointerjump as pj`. Nothing else is imported, and no device is looked for, until a name "
        "is used.",
        "",
    ]
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        if callable(thing):
            parts += [f"## {name}", "", *call(f"pj.{name}", thing), *numpydoc(thing)]
            parts += methods(thing) if inspect.isclass(thing) else []
    parts += ["## Errors", ""]
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            parts.append(f"- `{name}`: {inspect.getdoc(thing)}")
    return "\n".join(parts)


def call(name: str, thing: Any) -> list[str]:
    """Return how something is called; nothing for a class that only other functions make."""
    if inspect.isclass(thing) and "\nParameters\n" not in (inspect.getdoc(thing) or ""):
        return []
    # Annotations are kept as text, which a signature puts in quotes.
    return [code("python", name + re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing))))]


def methods(thing: Any) -> list[str]:
    """Return the documented public methods and properties of a class."""
    parts = []
    for name, member in vars(thing).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or name in getattr(thing, "_fields", ()) or not inspect.getdoc(function):
            continue  # the fields of a named tuple are in its own docstring
        if inspect.isfunction(function):
            parts += [f"### {thing.__name__}.{name}", "", *call(name, function), *numpydoc(function)]
        else:
            parts += [f"### {thing.__name__}.{name}", "", *numpydoc(function)]
    return parts


def numpydoc(thing: Any) -> list[str]:
    """Return a numpydoc docstring as Markdown: sections in bold, parameters as a list, examples as code."""
    lines = re.sub(r":\w+:`(.+?)`", r"`\1`", inspect.getdoc(thing) or "").splitlines()
    parts: list[str] = []
    section = ""
    i = 0
    while i < len(lines):
        line = lines[i]
        if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1]):
            section = line
            parts += ["", f"**{line}**", ""]
            i += 2
        elif line.startswith(">>>"):
            begin = i
            while i < len(lines) and lines[i].strip():
                i += 1
            parts += [code("pycon", "\n".join(lines[begin:i]))]
        elif line.startswith("    "):
            parts.append(f"    {line.strip()}")
            i += 1
        elif line and section in LISTS:
            name, colon, what = line.partition(" : ")
            parts += ["", f"- `{name}`: {what}" if section == "See Also" and colon else f"- `{line}`", ""]
            i += 1
        else:
            parts.append(line)
            i += 1
    return [*parts, ""]


def commands_page() -> str:
    """Return the help of every command."""
    parts = [
        "# Command line",
        "",
        "Every command exits with 0, 1 (a check failed) or 2 (bad input, one line on standard error).",
        "",
    ]
    with click.Context(cli, info_name="pointerjump") as root:
        for name, command in cli.commands.items():
            with click.Context(command, info_name=name, parent=root) as context:
                parts += [f"## {name}", "", code("text", command.get_help(context))]
    return "\n".join(parts)


def shapes_page() -> str:
    """Return the shapes of graph that ``benches/zoo.py`` measures."""
    shapes = run_path(str(BENCHES / "zoo_shapes.py"))["SHAPES"]
    lines = [f"| `{name}` | {shape.description} |" for name, shape in shapes.items()]
    about = (
        "What [the zoo](zoo.md) measures; `benches/zoo_shapes.py` makes them. Random ones have a fixed seed."
    )
    return "\n".join(["# Shapes of graph", "", about, "", "| shape | what it is |", "| --- | --- |", *lines])


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def without_docstring(source: str) -> str:
    """Return a module's source after its docstring."""
    return re.sub(r'\A""".*?"""\s*', "", source, flags=re.DOTALL)
