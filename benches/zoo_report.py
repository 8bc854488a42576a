"""What the zoo (benches/zoo.py) prints: a line for each graph, tables at the end, and Markdown for docs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
from rich.table import Table
from zoo_candidates import AUTO, published
from zoo_economy import Record

TOO_SLOW = 1.25
"""The largest ratio of auto to the best that is not flagged."""

TRAP = 20.0
"""How many times as long as its published form a variant may take."""


# -- one graph ---------------------------------------------------------------------------------------


def rival(found: Record) -> tuple[str, float]:
    """Return the best other candidate and its time; if there was no other, that of ``auto``."""
    name = found["rival"]
    return name or "nothing else", found["final"][name or AUTO]


def name_of(found: Record) -> str:
    """Return what a graph is called."""
    return " ".join(found[key] for key in ("shape", "size", "order", "form"))


def line(found: Record) -> str:
    """Return what is printed about one graph."""
    best, ms = rival(found)
    flag = "  <-- " if found["ratio"] > TOO_SLOW else ""
    skipped = f"; {len(found['skipped'])} skipped" if found["skipped"] else ""
    return (
        f"{name_of(found)}: auto {found['final'][AUTO]:.3f} ({found['chosen']}), "
        f"best {ms:.3f} ({best}), {found['ratio']:.2f}{flag}{skipped}"
    )


# -- all of them -------------------------------------------------------------------------------------


def merged(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return several results as one; of a graph that is in several, the last one counts."""
    records = {name_of(found): found for result in results for found in result["records"]}
    there = {tuple(found[key] for key in ("size", "order", "shape")) for found in records.values()}
    missing = {tuple(names): None for result in results for names in result["left_out"]}
    left_out = [names for names in missing if names not in there]
    return {"device": results[0]["device"], "records": list(records.values()), "left_out": left_out}


def by_least(results: dict[str, Any]) -> dict[str, Any]:
    """Return results in which each time is that of the shortest run."""
    return {**results, "records": [of_shortest(found) for found in results["records"]]}


def of_shortest(found: Record) -> Record:
    """Return what was found on a graph with the shortest runs in place of the median ones."""
    final = found["final_least"]
    ratio = final[AUTO] / final.get(found["rival"], final[AUTO])
    return {**found, "ms": found["least"], "final": final, "ratio": ratio}


def summary(results: dict[str, Any]) -> Iterator[Any]:
    """Yield what is printed at the end."""
    records = results["records"]
    for (size, order, form), kind in grouped(records, "size", "order", "form"):
        yield f"{size} {order} {form}: {in_short(kind)}"
    if records:
        yield f"all: {in_short(records)}"
        yield worst_table(records)
        yield trap_table(records)
    for (size, order), shapes in left_out(results).items():
        yield f"no time was left for --sizes {size} --orders {order} --shapes {','.join(shapes)}"


def left_out(results: dict[str, Any]) -> dict[tuple[str, str], list[str]]:
    """Return the shapes that no time was left for, by size and order."""
    shapes: dict[tuple[str, str], list[str]] = {}
    for size, order, shape in results["left_out"]:
        shapes.setdefault((size, order), []).append(shape)
    return shapes


def grouped(records: list[Record], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Record]]]:
    """Yield the records with equal values for some keys, in the order in which these values come first."""
    by_keys: dict[tuple[str, ...], list[Record]] = {}
    for found in records:
        by_keys.setdefault(tuple(found[key] for key in keys), []).append(found)
    yield from by_keys.items()


def in_short(records: list[Record]) -> str:
    """Return the numbers that sum up the ratios."""
    ratios = np.array([found["ratio"] for found in records])
    share = np.count_nonzero(ratios > TOO_SLOW) / len(ratios)
    mean = np.exp(np.log(ratios).mean())
    spread = f"at most {ratios.max():.2f}; above {TOO_SLOW}: {share:.0%} of {len(ratios)}"
    return f"auto / best {mean:.3f} by geometric mean, {spread}"


def worst_table(records: list[Record], count: int = 10) -> Table:
    """Return the graphs on which auto is furthest from the best."""
    table = Table(title=f"the worst {count}")
    for heading in ("graph", "auto ran", "ms", "best", "ms", "auto / best"):
        table.add_column(heading, justify="right" if heading in ("ms", "auto / best") else "left")
    for found in sorted(records, key=lambda found: found["ratio"], reverse=True)[:count]:
        best, ms = rival(found)
        table.add_row(
            name_of(found),
            found["chosen"],
            f"{found['final'][AUTO]:.3f}",
            best,
            f"{ms:.3f}",
            f"{found['ratio']:.2f}",
        )
    return table


def traps(records: list[Record]) -> dict[str, tuple[float, str]]:
    """Return, for each default or variant, the most that it takes over its published form, and where."""
    most: dict[str, tuple[float, str]] = {}
    for found in records:
        for name, ms in found["ms"].items():
            form = None if name == AUTO else published(name.partition(":")[0])
            if form in found["ms"] and form != name:
                most[name] = max(most.get(name, (0.0, "")), (ms / found["ms"][form], name_of(found)))
    return most


def trap_table(records: list[Record]) -> Table:
    """Return for each algorithm the variant that loses most against its published form."""
    table = Table(title=f"the most over the published form (above {TRAP:g} is a trap)")
    for heading in ("variant", "times as long", "graph"):
        table.add_column(heading, justify="right" if heading == "times as long" else "left")
    worst = sorted(traps(records).items(), key=lambda item: (item[0].partition(":")[0], -item[1][0]))
    for _, variants in groupby(worst, key=lambda item: item[0].partition(":")[0]):
        for place, (name, (times, graph)) in enumerate(variants):
            if place == 0 or times > TRAP:
                table.add_row(name, f"{times:.1f}{' <--' if times > TRAP else ''}", graph)
    return table


def comparison(before: list[Record], after: list[Record]) -> Iterable[Any]:
    """Return auto's times and ratios in two results, those that differ most first."""
    old = {name_of(found): found for found in before}
    both = [(old[name_of(found)], found) for found in after if name_of(found) in old]
    both.sort(key=lambda pair: pair[1]["final"][AUTO] / pair[0]["final"][AUTO], reverse=True)
    table = Table(title="auto, before and after")
    for heading in ("graph", "ms before", "ms after", "after / before", "/ best before", "/ best after"):
        table.add_column(heading, justify="left" if heading == "graph" else "right")
    for first, second in both:
        times = first["final"][AUTO], second["final"][AUTO]
        table.add_row(
            name_of(second),
            *(f"{ms:.3f}" for ms in times),
            f"{times[1] / times[0]:.2f}",
            *(f"{found['ratio']:.2f}" for found in (first, second)),
        )
    yield table
    if both:
        yield f"before: {in_short([pair[0] for pair in both])}"
        yield f"after:  {in_short([pair[1] for pair in both])}"


# -- Markdown ----------------------------------------------------------------------------------------


def markdown(results: dict[str, Any]) -> str:
    """Return the tables for docs: for each size, a line for each shape."""
    records = results["records"]
    device = results["device"]
    parts = [f"On {device['device']} ({device['platform']}): {in_short(records)}.", ""]
    for (size,), kind in grouped(records, "size"):
        parts += [f"### {size}", "", *size_table(kind), ""]
    return "\n".join([*parts, *trap_lines(records)])


def trap_lines(records: list[Record]) -> list[str]:
    """Return a table of the variants that are traps."""
    found = {name: most for name, most in traps(records).items() if most[0] > TRAP}
    if not found:
        return [f"No variant takes more than {TRAP:g} times as long as the published form of its algorithm."]
    worst = sorted(found.items(), key=lambda item: -item[1][0])
    return [
        f"### More than {TRAP:g} times the published form",
        "",
        "| variant | times as long | on |",
        "| --- | --: | --- |",
        *(f"| `{name}` | {times:.0f} | {graph} |" for name, (times, graph) in worst),
    ]


def size_table(records: list[Record]) -> list[str]:
    """Return a table of one size; a cell shows auto's ms, and its ratio to the best."""
    columns = [keys for keys, _ in grouped(records, "form", "order")]
    lines = [
        f"| shape | vertices | components | {' | '.join(f'{form}, {order}' for form, order in columns)} |",
        f"| --- | --: | --: |{' --: |' * len(columns)}",
    ]
    for (shape,), kind in grouped(records, "shape"):
        cells = {(found["form"], found["order"]): cell(found) for found in kind}
        facts = f"{kind[0]['vertices']:,} | {kind[0]['components']:,}"
        lines.append(f"| {shape} | {facts} | {' | '.join(cells.get(keys, '') for keys in columns)} |")
    return lines


def cell(found: Record) -> str:
    """Return auto's time and ratio, in bold if it is flagged."""
    ratio = f"{found['ratio']:.2f}"
    return f"{found['final'][AUTO]:.3f} ({f'**{ratio}**' if found['ratio'] > TOO_SLOW else ratio})"
