"""The pages of the algorithms: the index, and a page for each.

What a page says comes from two places: the algorithm's row in the registry, and the docstring of its
reference (``reference/description.py`` lists its parts).
"""

from __future__ import annotations

import inspect
import re
from html import escape
from importlib.resources import files as resources

from pages.markdown import code, folded, framed, limits, quoted, table
from pointerjump.draw import draw
from pointerjump.draw.runs import NOT_DRAWN
from pointerjump.reference.description import Description
from pointerjump.registry import ALGORITHMS, Algorithm, Axis, Problem, Value
from pointerjump.registry.selection import RUN_BY_AUTO
from pointerjump.registry.table import PAPERS

PROBLEMS: dict[Problem, str] = {
    "components": "Connected components",
    "spanning-forest": "Spanning forest",
    "minimum-spanning-forest": "Minimum spanning forest",
    "dendrograms": "Single linkage",
    "list-ranking": "List ranking",
    "list-scan": "List scan",
    "trees": "Rooted forests",
    "common-ancestors": "Lowest common ancestors",
    "biconnectivity": "Blocks",
    "bridges": "Bridges",
    "functional-graphs": "Functional graphs",
    "id-numbering": "Numbers for ids",
    "image-labelling": "Labels for images",
}

SIZES: dict[Problem, str] = {
    "components": "n vertices and m edges",
    "spanning-forest": "n vertices and m edges",
    "minimum-spanning-forest": "n vertices and m edges",
    "dendrograms": "n vertices",
    "list-ranking": "n elements",
    "list-scan": "n elements",
    "trees": "n vertices",
    "common-ancestors": "n vertices and q pairs",
    "biconnectivity": "n vertices and m edges",
    "bridges": "n vertices and m edges",
    "functional-graphs": "n elements",
    "id-numbering": "n ids",
    "image-labelling": "n pixels",
}

COMMANDS: dict[Problem, str] = {
    "components": "pointerjump cc kron:scale=10 --algorithm {name}{device} --verify",
    "spanning-forest": "pointerjump forest kron:scale=10 --verify",
    "list-ranking": "pointerjump rank list:length=1000 --algorithm {name}{device} --verify",
}

CALLS: dict[Problem, str] = {
    "minimum-spanning-forest": 'forest = pj.minimum_spanning_forest(edges, weights, algorithm="{name}")',
    "dendrograms": "merges = pj.single_linkage(edges, weights).merges",
    "list-scan": "ranks_from_the_front = pj.list_scan(successors, values=[1] * len(successors))",
    "trees": 'forest = pj.rooted_forest(edges, algorithm="{name}")',
    "common-ancestors": "ancestors = forest.lowest_common_ancestor(us, vs)",
    "biconnectivity": 'blocks = pj.biconnected_components(edges, algorithm="{name}")',
    "bridges": 'bridges = pj.bridges(edges, algorithm="{name}")',
    "functional-graphs": "found = pj.cycles(successors)\nlater = pj.kth_successor(successors, k=1000)",
    "id-numbering": 'clusters = pj.components(table, source="left", target="right").table()',
    "image-labelling": "labels = pj.label(mask)",
}

TO_LEARN = (
    "union-find",
    "shiloach-vishkin",
    "ecl-cc",
    "afforest",
    "wylie",
    "random-splitter",
    "list-scan",
    "euler-tour",
)
"""The algorithms with new ideas, the simplest first."""

TERMS = {
    "swap ": "*Swap x from a to b* is one atomic step, compare-and-swap: it writes b to x, but only if x is "
    "still a.",
    "lower ": "*Lower x to y* is one atomic step: it writes y to x, but only if y is smaller.",
    "root": "A *root* is a vertex that is its own parent.",
}
"""Words of pseudo-code, and what they mean."""


def algorithm_index() -> str:
    """Return a table of all algorithms, by problem."""
    parts = [
        "# Algorithms",
        "",
        "This page is for those who want to know how it works: each page has the idea, "
        "pseudo-code, a run as pictures, "
        "the complexity, the variants and the code. "
        "[Which algorithm when](../which.md) says which of them `auto` runs, and why.",
        "",
        "*Work* is the number of steps that all work-items take together. What `auto` runs comes first in "
        "each table.",
        "",
        f"To learn, read in this order: {', '.join(f'[{name}]({name}.md)' for name in TO_LEARN)}. The five "
        "pages that begin with [what a parent array is](../examples/learn_1_parents.md) go the same way.",
        "",
    ]
    for problem, title in PROBLEMS.items():
        parts += [
            f"## {title}",
            "",
            f"For {SIZES[problem]}:",
            "",
            *table(("name", "idea", "choose it", "work"), [index_row(each) for each in of_problem(problem)]),
            "",
        ]
    return "\n".join(parts)


def of_problem(problem: Problem) -> list[Algorithm]:
    """Return the algorithms for a problem, those that ``auto`` runs first."""
    found = [each for each in ALGORITHMS.values() if each.problem == problem]
    return sorted(found, key=lambda each: each.name not in RUN_BY_AUTO)


def index_row(algorithm: Algorithm) -> tuple[str, ...]:
    """Return what the table says of one algorithm."""
    about = algorithm.description()
    name = f"[`{algorithm.name}`]({algorithm.name}.md)"
    idea = re.split(r"(?<=\.) ", about.definition)[0]
    return name, quoted(idea), quoted(about.when), formula(about.work)


def algorithm_page(algorithm: Algorithm) -> str:
    """Return an algorithm's page."""
    about = algorithm.description()
    parts = [
        f"# {algorithm.title}",
        quoted(about.definition),
        f"Choose this algorithm {quoted(about.when)}.",
        f"Name: `{algorithm.name}`, in [{PROBLEMS[algorithm.problem].lower()}](index.md#"
        f"{PROBLEMS[algorithm.problem].lower().replace(' ', '-')}). From: {citation(algorithm)}.",
        "## Idea",
        prose(about.idea),
        "## Pseudo-code",
        pseudo_code(about.pseudo_code),
        " ".join(meaning for word, meaning in TERMS.items() if word in about.pseudo_code),
        *picture(algorithm),
        "## Input and result",
        prose(about.input),
        *complexity(algorithm, about),
        *variants(algorithm),
        *usage(algorithm),
    ]
    if about.notes:
        parts += ["## Notes", prose(about.notes)]
    parts += ["## See also", see_also(about), *sources(algorithm)]
    return "\n\n".join(part for part in parts if part) + "\n"


# -- the parts of a page -------------------------------------------------------------------------------


def prose(text: str) -> str:
    """Return paragraphs of a docstring as Markdown, with links to algorithms that are named as modules."""
    text = quoted(formula(text))
    text = re.sub(
        r"^(Input|Deviations?|Beyond the paper|Why a stale parent does no harm):",
        r"**\1:**",
        text,
        flags=re.MULTILINE,
    )
    return re.sub(r"(?<![\w`.])([a-z]+(?:_[a-z]+)+)(?![\w`.(])", linked, text)


def pseudo_code(text: str) -> str:
    """Return pseudo-code with a span for each line, which on a narrow screen wraps below its indentation."""
    spans = (
        f'<span class="line" style="--hang:{len(line) - len(line.lstrip()) + 2}ch">{escape(line)}</span>'
        for line in text.strip("\n").splitlines()
    )
    return f'<pre class="pseudo-code"><code>{"".join(spans)}</code></pre>'


def linked(module: re.Match[str]) -> str:
    """Return a link to the algorithm whose module is named, or the name as it is."""
    name = module[0].replace("_", "-")
    return f"[{name}]({name}.md)" if name in ALGORITHMS else module[0]


def formula(text: str) -> str:
    """Return text in which log* means the iterated logarithm, and begins no emphasis."""
    return text.replace("log*", r"log\*")


def citation(algorithm: Algorithm) -> str:
    """Return an algorithm's papers, with a link from each to its page, if it has one."""
    text = algorithm.paper
    for paper in PAPERS:
        text = text.replace(str(paper), f"[{paper}](../papers/{paper.page}.md)")
    return text


def picture(algorithm: Algorithm) -> list[str]:
    """Return a run on a small input, to step through and as pictures, and what each phase does."""
    phases = [f"- *{name}*: {words}" for name, words in algorithm.description().phases.items()]
    if algorithm.problem in NOT_DRAWN:
        return ["## A run", "What each phase does:", "\n".join(phases)]
    run = draw(algorithm.name)
    return [
        "## A run",
        "The reference runs here. It is serial, so the items of a parallel loop are taken in ascending "
        "order. On a device they are taken in any order, and the steps may differ.",
        framed(run.html(), f"{algorithm.title}, step by step"),
        folded("All frames side by side", f'<div class="run">{run._repr_html_()}</div>'),
        "What each phase does:",
        "\n".join(phases),
        "This command makes the same page of its own, for any small input; a name that ends in .svg or .png "
        "makes a picture.",
        code("sh", f"pointerjump draw {algorithm.name} -o run.html"),
    ]


def complexity(algorithm: Algorithm, about: Description) -> list[str]:
    """Return how many steps it takes, and what the reference's docstring says of that."""
    rows = (
        ("work: steps of all work-items together", formula(about.work)),
        ("depth: steps one after the other", formula(about.depth)),
    )
    lines = table((f"for {SIZES[algorithm.problem]}", ""), rows)
    return ["## Complexity", "\n".join(lines), *([prose(about.complexity)] if about.complexity else [])]


def variants(algorithm: Algorithm) -> list[str]:
    """Return a table of the axes, and what else the kernels need."""
    parts = []
    if algorithm.axes:
        rows = [
            (f"`{axis.name}`", values(axis), default(axis), axis.meaning, " and ".join(axis.sides))
            for axis in algorithm.axes
        ]
        parts.append("\n".join(table(("choice", "values", "default", "what it is", "who has it"), rows)))
        if any(axis.by_device for axis in algorithm.axes):
            told = " The command below prints what was chosen." if algorithm.problem in COMMANDS else ""
            parts.append(
                f"A default that is *{FOR_EACH_RUN}* depends on the device, the input or chance.{told}"
            )
    if algorithm.needs:
        parts.append(f"Its kernels need: {', '.join(algorithm.needs)}.")
    if algorithm.borrows:
        parts.append(f"Besides its own kernels it runs pyopencl's {' and '.join(algorithm.borrows)}.")
    return ["## Variants", *parts] if parts else []


FOR_EACH_RUN = "chosen for each run"


def values(axis: Axis) -> str:
    """Return which values an axis takes."""
    listed = ", ".join(map(value_of, axis.values))
    if not axis.is_number:
        return listed
    return limits(f"whole numbers from {axis.least} to {axis.most}; the tests try {listed}")


def default(axis: Axis) -> str:
    """Return an axis's default: that of the kernels may depend on device and input."""
    first = value_of(axis.values[0])
    if not axis.by_device:
        return first
    if "reference" not in axis.sides:
        return FOR_EACH_RUN
    return f"{first} in the reference, {FOR_EACH_RUN} in the kernels"


def value_of(value: Value) -> str:
    """Return a value as the command line takes it."""
    return f"`{str(value).lower()}`"


def usage(algorithm: Algorithm) -> list[str]:
    """Return the command or the call that runs it."""
    if algorithm.problem in CALLS:
        return ["## How to run it", code("python", CALLS[algorithm.problem].format(name=algorithm.name))]
    device = "" if algorithm.kernels else " --device reference"
    command = COMMANDS[algorithm.problem].format(name=algorithm.name, device=device)
    return ["## How to run it", code("sh", command), *own_list(algorithm)]


def own_list(algorithm: Algorithm) -> list[str]:
    """Return how to rank a list in a file of one's own, if the algorithm ranks lists."""
    if algorithm.problem != "list-ranking":
        return []
    return [
        "For a list of your own, give a file: text with one successor a line, or a `.npy` array. The last "
        "element is its own successor. The output has two columns, the element and its rank; if its name "
        "ends in `.npy`, it is the array of ranks.",
        code("sh", "pointerjump generate list:length=12 -o list.txt\npointerjump rank list.txt -o ranks.csv"),
    ]


def see_also(about: Description) -> str:
    """Return a list of related algorithms."""
    return "\n".join(
        f"- [{ALGORITHMS[name].title}]({name}.md): {quoted(why)}" for name, why in about.see_also.items()
    )


def sources(algorithm: Algorithm) -> list[str]:
    """Return the code of the reference and of the kernels, folded."""
    reference = without_docstring(inspect.getsource(algorithm.load("reference")))
    parts = ["## Code", folded(f"reference/{algorithm.module}.py: serial Python", code("python", reference))]
    if algorithm.kernels:
        kernels = (resources("pointerjump.kernels_cl") / f"{algorithm.module}.cl").read_text()
        parts.append(folded(f"kernels_cl/{algorithm.module}.cl: OpenCL C", code("c", kernels)))
    return parts


def without_docstring(source: str) -> str:
    """Return a module's source after its docstring."""
    return re.sub(r'\A""".*?"""\s*', "", source, flags=re.DOTALL)
