"""The package stays small enough to find one's way in: benches/house.py measures, here are the limits."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import house

ROOT = Path(__file__).resolve().parents[2]
CIRCLES, FLOORS, FLOORS_OF_ROOMS, REPEATED_NAMES = 0, 20, 10, 0
WALKS = {"arrays": (20, 79), "table": (22, 131), "mask": (18, 82), "command": (60, 410)}
"""The modules and functions that run in each of the calls of house.WALKS (test_way.py)."""


@cache
def trees() -> dict[str, ast.Module]:
    return {module: ast.parse(file.read_text()) for module, file in house.modules(ROOT).items()}


@cache
def imports() -> house.nx.DiGraph[str]:
    return house.imports(trees())


def test_no_modules_import_each_other_in_a_circle() -> None:
    circles = house.circles(imports())
    assert len(circles) <= CIRCLES, circles


def test_chains_of_imports_are_short() -> None:
    chain = house.floors(imports())
    assert len(chain) <= FLOORS, " > ".join(chain)


def test_rooms_import_only_what_stands_above_them() -> None:
    rooms = house.rooms_of(imports())
    circles = house.circles(rooms)
    assert not circles
    chain = house.floors(rooms)
    assert len(chain) <= FLOORS_OF_ROOMS, " > ".join(chain)


def test_each_type_name_stands_once() -> None:
    names = house.repeated(trees())
    assert len(names) <= REPEATED_NAMES, names
