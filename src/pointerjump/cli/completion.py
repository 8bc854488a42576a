"""What the shell offers when the Tab key is pressed: names of algorithms, generators and properties.

click asks these functions while a command is being typed, so they look at no device and read no file.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

PROBLEMS = {"cc": "components", "rank": "list-ranking", "label": "image-labelling"}
"""What commands solve with an algorithm that may also be ``auto``; the others take any algorithm."""


def algorithms(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the algorithms that the command can run."""
    from pointerjump.registry import ALGORITHMS

    problem = PROBLEMS.get(context.info_name or "")
    found = [(each.name, each.title) for each in ALGORITHMS.values() if problem in (None, each.problem)]
    return _beginning(begun, found if problem is None else [("auto", "leaves the choice to us"), *found])


def properties(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the properties that can be measured."""
    from pointerjump.measure import PROPERTIES

    return _beginning(begun, ((each.name, each.title) for each in PROPERTIES))


def devices(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the names that need no look at the devices."""
    names = (("cpu", "a processor"), ("gpu", "a graphics processor"), ("reference", "serial Python"))
    return _beginning(begun, names)


def specs(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return generators and presets or, after the name of one, its parameters and their values."""
    from pointerjump.generators import GENERATORS, PRESETS

    name, colon, text = begun.partition(":")
    if not colon:
        named = [*((each.name, each.title) for each in GENERATORS), *((p.name, p.title) for p in PRESETS)]
        return _beginning(begun, named)
    meant = {preset.name: preset.spec.partition(":")[0] for preset in PRESETS}.get(name, name)
    before, comma, last = text.rpartition(",")
    found = []
    for parameter_of in next((each.parameters for each in GENERATORS if each.name == meant), ()):
        if f"{parameter_of.name}=" in before:
            continue
        values = parameter_of.choices or ("",)
        found += [(f"{parameter_of.name}={value}", parameter_of.meaning) for value in values]
    return [
        CompletionItem(f"{name}:{before}{comma}{item.value}", help=item.help)
        for item in _beginning(last, found)
    ]


def specs_or_files(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return specs for what is begun, if any fits, and else have the shell complete names of files."""
    found = specs(context, parameter, begun) if begun else []
    return [CompletionItem(begun, type="file"), *found]


def _beginning(begun: str, found: Iterable[tuple[str, str]]) -> list[CompletionItem]:
    return [CompletionItem(name, help=about) for name, about in found if name.startswith(begun)]
