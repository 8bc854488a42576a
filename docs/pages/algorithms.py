"""The pages of the algorithms: the index, and a page for each."""

from __future__ import annotations

import inspect
import re
from importlib.resources import files as resources

from pages.markdown import code
from pointerjump.measure.drawing import draw
from pointerjump.registry import ALGORITHMS, Algorithm

PROBLEMS = {
    "components": "Connected components",
    "spanning-forest": "Spanning forest",
    "list-ranking": "List ranking",
    "list-scan": "List scan",
    "id-numbering": "Numbers for ids",
    "image-labelling": "Labels for images",
}


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


def without_docstring(source: str) -> str:
    """Return a module's source after its docstring."""
    return re.sub(r'\A""".*?"""\s*', "", source, flags=re.DOTALL)
