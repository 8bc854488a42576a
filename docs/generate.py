"""Makes the pages that say what the code says: algorithms, properties, functions, commands.

A hook of mkdocs (mkdocs.yml): the pages exist in the site only, never in the source tree.
"""

from __future__ import annotations

import inspect
import re
from importlib.resources import files as resources
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import pointerjump
from pointerjump.cli import cli
from pointerjump.measure import PROPERTIES, Property, measure
from pointerjump.measure.drawing import draw, snapshots
from pointerjump.registry import ALGORITHMS, Algorithm

REPOSITORY = "https://github.com/pointerjump/pointerjump/blob/main"
PROBLEMS = {
    "components": "Connected components",
    "spanning-forest": "Spanning forest",
    "list-ranking": "List ranking",
    "list-scan": "List scan",
}
SERIAL = {"dfs", "union-find"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "algorithms/index.md": algorithm_index(),
        **{f"algorithms/{row.name}.md": algorithm_page(row) for row in ALGORITHMS.values()},
        "properties.md": properties_page(),
        "python.md": python_page(),
        "commands.md": commands_page(),
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    return files


# -- algorithms ------------------------------------------------------------------------------------


def algorithm_index() -> str:
    """Return a table of all algorithms, by problem."""
    parts = ["# Algorithms", "Each is one row of the registry, and its page is made from its own files.", ""]
    for problem, title in PROBLEMS.items():
        parts += [
            f"## {title}",
            "",
            "| name | what it is | reference | kernels | from |",
            "| --- | --- | --- | --- | --- |",
        ]
        parts += [
            f"| [`{row.name}`]({row.name}.md) | {row.title} | {'yes' if row.reference else ''} | "
            f"{'yes' if row.kernels else ''} | {row.paper} |"
            for row in ALGORITHMS.values()
            if row.problem == problem
        ]
        parts.append("")
    return "\n".join(parts)


def algorithm_page(row: Algorithm) -> str:
    """Return an algorithm's page: what it does, its variants, its code, and a run as a picture."""
    parts = [f"# {row.title}", "", f"`{row.name}`, {PROBLEMS[row.problem].lower()}. {row.paper}.", ""]
    module = row.load("reference") if row.reference else None
    if module:
        parts += prose(module.__doc__ or "")
    parts += variants(row)
    if row.needs:
        parts += [f"Its kernels need: {', '.join(row.needs)}.", ""]
    parts += usage(row)
    if row.problem == "components" and row.name not in SERIAL:
        parts += picture(row)
    if module:
        parts += ["## The reference", "", code("python", without_docstring(inspect.getsource(module)))]
    if row.kernels:
        source = (resources("pointerjump.kernels_cl") / f"{row.module}.cl").read_text()
        parts += ["## The kernels", "", code("c", source)]
    return "\n".join(parts)


def prose(docstring: str) -> list[str]:
    """Return a module docstring as paragraphs, its first line left out (it is the title)."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")[1:]
    text = [re.sub(r"``(.+?)``", r"`\1`", paragraph) for paragraph in paragraphs]
    return [part for paragraph in text for part in (emphasised(paragraph), "")]


def emphasised(paragraph: str) -> str:
    """Set the word that says what a paragraph is about in bold."""
    return re.sub(r"^(Input|Deviations?|Beyond the paper):", r"**\1:**", paragraph)


def variants(row: Algorithm) -> list[str]:
    """Return a table of the axes, if there are any."""
    if not row.axes:
        return []
    table = [
        "## Variants",
        "",
        "| choice | values, the default first | what it is | who has it |",
        "| --- | --- | --- | --- |",
    ]
    for axis in row.axes:
        values = ", ".join(f"`{str(value).lower()}`" for value in axis.values)
        table.append(f"| `{axis.name}` | {values} | {axis.meaning} | {' and '.join(axis.sides)} |")
    return [*table, ""]


def usage(row: Algorithm) -> list[str]:
    """Return the command that runs it."""
    device = "" if row.kernels else " --device reference"
    command = {
        "components": f"pointerjump cc kron:scale=10 --algorithm {row.name}{device} --verify",
        "spanning-forest": "pointerjump forest kron:scale=10 --verify",
        "list-ranking": f"pointerjump rank list:length=1000 --algorithm {row.name}{device} --verify",
    }.get(row.problem)
    return [code("sh", command)] if command else []


def picture(row: Algorithm) -> list[str]:
    """Return a run on a small graph, phase by phase."""
    if not snapshots(row.name):
        return []
    return [
        "## A run",
        "",
        "Below the vertices the edges of the graph, above them the parent pointers (or labels) after each "
        "phase that changed any: new ones in orange. A bold ring is a vertex that points to itself, a "
        "dashed one a vertex that points nowhere yet.",
        "",
        draw(row.name),
        "",
        code("sh", f"pointerjump draw {row.name} -o run.svg"),
    ]


# -- properties, functions, commands -----------------------------------------------------------------


def properties_page() -> str:
    """Return what can be measured, with the tables of the default inputs."""
    parts = [
        "# Measured properties",
        "",
        "What the papers measured and what does not depend on hardware, counted on the references. The "
        "tables were made while this page was built, by the command above each.",
        "",
    ]
    for row in PROPERTIES:
        parts += [
            f"## {row.title} {{ #{row.name} }}",
            "",
            f"{row.source}.",
            "",
            code("sh", f"pointerjump measure {row.name}"),
        ]
        parts += [*property_table(row), "", row.about, ""]
    return "\n".join(parts)


def property_table(row: Property) -> list[str]:
    """Return a property's table as Markdown."""
    found = measure(row.name)
    table = [
        "| " + " | ".join(column.heading for column in row.columns) + " |",
        "|" + " --- |" * len(row.columns),
    ]
    for each in found.rows:
        table.append("| " + " | ".join(column.text(each[column.name]) for column in row.columns) + " |")
    return table


def python_page() -> str:
    """Return the public functions and classes with their docstrings."""
    parts = [
        "# Python",
        "",
        "`import pointerjump as pj`. Nothing is imported and no device is looked for until a name is used.",
        "",
    ]
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        if callable(thing):
            parts += [
                f"## {name}",
                "",
                code("python", f"pj.{name}{inspect.signature(thing)}"),
                *numpydoc(thing),
            ]
            parts += methods(thing) if inspect.isclass(thing) else []
    parts += ["## Errors", ""]
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            parts.append(f"- `{name}`: {inspect.getdoc(thing)}")
    return "\n".join(parts)


def methods(thing: Any) -> list[str]:
    """Return the documented public methods and properties of a class."""
    parts = []
    for name, member in vars(thing).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.getdoc(function):
            continue
        if inspect.isfunction(function):
            parts += [
                f"### {thing.__name__}.{name}",
                "",
                code("python", f"{name}{inspect.signature(function)}"),
            ]
            parts += numpydoc(function)
        else:
            parts += [f"### {thing.__name__}.{name}", "", inspect.getdoc(function) or "", ""]
    return parts


def numpydoc(thing: Any) -> list[str]:
    """Return a numpydoc docstring as Markdown: sections in bold, parameters as a list, examples as code."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    parts: list[str] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1]):
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
        elif parts and i + 1 < len(lines) and lines[i + 1].startswith("    "):
            parts += ["", f"- `{line}`", ""]
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


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def without_docstring(source: str) -> str:
    """Return a module's source after its docstring."""
    return re.sub(r'\A""".*?"""\s*', "", source, flags=re.DOTALL)
