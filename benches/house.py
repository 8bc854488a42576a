"""How large is the house? Lines, files, circles of imports, floors, repeated type names, and four walks.

    python benches/house.py [ROOT] [--list]

ROOT is a checkout; without it, the script's own. `package_dir` in its setup.cfg says which folders make the
package. All files count as lines, JSON and TOML too.

Imports: a module imports another if a statement anywhere in it says so, inside functions too, but not under
`if TYPE_CHECKING`. `from a.b import c` imports the module a.b.c if there is one, and otherwise a.b, which
for a package is its `__init__`. Python also runs the `__init__` of every package on the way to a module.
That does not count, or each package whose `__init__` imports its own modules would be a circle; nor do
names that `__init__` looks up when they are first used. A circle is a set of modules each of which imports
all the others, perhaps through others; it stands on one floor. A room, for the floors of rooms, is all of
what stands directly under pointerjump: a package or a module.

Type names: classes, and aliases such as `Numbers = npt.NDArray[Any]`, at the top of a module; no type
variables.

Walks: the modules (files) of the package, and the functions in them, lambdas, comprehensions and class
bodies too, that run in a call, by sys.setprofile, in all threads that the call starts. Two calls of the
same come before. The command is a process of its own, from the import of pointerjump on, after one that
fills the caches.
"""

from __future__ import annotations

import argparse
import ast
import configparser
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import networkx as nx

FOLDERS = ("accel", "reference", "kernels_cl", "tests", "benches")
WALKS = {
    "arrays": "components((src, dst))",
    "table": "components(table of 600,000 string pairs, source=, target=)",
    "mask": "label(mask)",
    "command": "cc FILE, a whole process",
}
Entered = tuple[str, str, int]
"""A function that ran: file, name and line."""

# -- lines and files ---------------------------------------------------------------------------------


def rooms(folder: Path, deep: bool = False) -> Iterator[tuple[str, int, int]]:
    """Yield name, files and lines of a folder; if `deep`, first of each folder in it."""
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        if file.is_file() and not any(part.startswith((".", "__pycache__")) for part in parts):
            room = parts[0] if len(parts) > 1 else "(top level)"
            files[room] += 1
            lines[room] += file.read_bytes().count(b"\n")
    if deep:
        yield from ((f"  {room}", files[room], lines[room]) for room in sorted(files))
    yield folder.name if not deep else "src/pointerjump", files.total(), lines.total()


# -- imports and names -------------------------------------------------------------------------------


def modules(root: Path) -> dict[str, Path]:
    """Return the file of each module of the package, by its name in the package."""
    settings = configparser.ConfigParser()
    settings.read(root / "setup.cfg")
    found = {}
    for line in settings["options"]["package_dir"].split("\n"):
        if line:
            package, folder = line.split(" = ")
            for file in (root / folder).rglob("*.py"):
                parts = [package, *file.relative_to(root / folder).with_suffix("").parts]
                found[".".join(parts).removesuffix(".__init__")] = file
    return found


def statements(node: ast.AST, checking: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports in a syntax tree; those for type checking only if asked for."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif checking or not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield from statements(child, checking)


def imports(trees: dict[str, ast.Module], checking: bool = False) -> nx.DiGraph[str]:
    """Return which modules of the package import which."""
    graph = nx.DiGraph()
    graph.add_nodes_from(trees)
    for module, tree in trees.items():
        for statement in statements(tree, checking):
            if isinstance(statement, ast.Import):
                named = [alias.name for alias in statement.names]
            else:
                whole = [f"{statement.module}.{alias.name}" for alias in statement.names]
                named = [name if name in trees else str(statement.module) for name in whole]
            graph.add_edges_from((module, name) for name in named if name in trees and name != module)
    return graph


def circles(graph: nx.DiGraph[str]) -> list[list[str]]:
    """Return the circles of imports."""
    return [sorted(found) for found in nx.strongly_connected_components(graph) if len(found) > 1]


def floors(graph: nx.DiGraph[str]) -> list[str]:
    """Return modules each of which imports the next, as many as possible, and of a circle only one."""
    condensed = nx.condensation(graph)
    return [min(condensed.nodes[node]["members"]) for node in nx.dag_longest_path(condensed)]


def rooms_of(graph: nx.DiGraph[str]) -> nx.DiGraph[str]:
    """Return which rooms import which."""
    pairs = ((".".join(a.split(".")[:2]), ".".join(b.split(".")[:2])) for a, b in graph.edges)
    return nx.DiGraph((a, b) for a, b in pairs if a != b)


def type_names(tree: ast.Module) -> Iterator[str]:
    """Yield the classes and type aliases at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            is_alias = isinstance(node.value, ast.Subscript | ast.BinOp | ast.Attribute | ast.Name)
            if (
                isinstance(target, ast.Name)
                and is_alias
                and not target.id.isupper()
                and target.id[0].isupper()
            ):
                yield target.id


def repeated(trees: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Return the type names that stand in several modules, and in which."""
    places = defaultdict(list)
    for module, tree in trees.items():
        for name in type_names(tree):
            places[name].append(module)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


# -- walks -------------------------------------------------------------------------------------------


def entered(call: Callable[[], object], folders: dict[str, str]) -> list[Entered]:
    """Return the functions that run in a call and lie in these folders, in order; folders are named anew."""
    codes: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.setdefault(frame.f_code)

    threading.setprofile(note)  # of threads that begin from now on
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return [
        (name + code.co_filename.removeprefix(folder), code.co_qualname, code.co_firstlineno)
        for code in codes
        for folder, name in folders.items()
        if code.co_filename.startswith(folder) and code.co_name != "<module>"
    ]


def walk(name: str, package: str) -> list[Entered]:
    """Take one of the four walks, in this process, and return what was entered."""
    if name == "command":

        def command() -> None:
            from pointerjump import cli

            cli.run(["cc", "edges.el"])

        return entered(command, {package: ""})

    import numpy as np
    import pandas as pd

    import pointerjump as pj

    ends = np.random.default_rng(1).integers(0, 400_000, (2, 600_000))
    table = pd.DataFrame({"left": ends[0].astype(str), "right": ends[1].astype(str)})
    mask = (ends % 2 == 0).reshape(1000, 1200)
    calls: dict[str, Callable[[], object]] = {
        "arrays": lambda: pj.components((ends[0], ends[1])),
        "table": lambda: pj.components(table, source="left", target="right"),
        "mask": lambda: pj.label(mask),
    }
    for _ in range(2):
        calls[name]()
    return entered(calls[name], {package: ""})


def walks(root: Path) -> dict[str, list[Entered]]:
    """Take each walk in a process of its own, in which the checkout `root` is the package."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        package = folder / "pointerjump"
        package.mkdir()
        parts = [root / name for name in ("accel", "reference", "kernels_cl")]
        for part in [*(root / "src" / "pointerjump").iterdir(), *parts]:
            (package / part.name).symlink_to(part.resolve())
        (folder / "edges.el").write_text("".join(f"{i} {7 * i % 200_000}\n" for i in range(200_000)))
        script = str(Path(__file__).resolve())
        environment = {**os.environ, "PYTHONPATH": temporary}
        for name in WALKS:
            for _ in range(2 if name == "command" else 1):
                command = [sys.executable, script, "--walk", name, f"{package}/"]
                subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            found[name] = json.loads((folder / "walk.json").read_text())
    return found


# -- the report --------------------------------------------------------------------------------------


def main() -> None:
    """Print all there is to say about a checkout, or take one walk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--list", action="store_true", help="name what the walks enter, too")
    parser.add_argument("--walk", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.walk:
        Path("walk.json").write_text(json.dumps(walk(*arguments.walk)))
        return
    root = arguments.root
    print(f"{'room':24}{'files':>8}{'lines':>8}")
    for folder in (root / "src" / "pointerjump", *(root / name for name in FOLDERS)):
        for name, files, lines in rooms(folder, deep=folder.name == "pointerjump"):
            print(f"{name:24}{files:8,}{lines:8,}")
    trees = {module: ast.parse(file.read_text()) for module, file in modules(root).items()}
    graph = imports(trees)
    with_checking = len(circles(imports(trees, checking=True)))
    print(f"\ncircles of imports: {len(circles(graph))} ({with_checking} with imports for type checking)")
    for circle in circles(graph):
        print("  " + ", ".join(circle))
    for what, chain in {"modules": floors(graph), "rooms": floors(rooms_of(graph))}.items():
        print(f"floors of {what}: {len(chain)}")
        print("  " + " > ".join(name.removeprefix("pointerjump.") for name in chain))
    names = repeated(trees)
    print(f"repeated type names: {len(names)}")
    for name, where in names.items():
        print(f"  {name}: {', '.join(where)}")
    print(f"\n{'walk':68}{'modules':>8}{'functions':>10}")
    for name, way in walks(root).items():
        print(f"{WALKS[name]:68}{len({file for file, *_ in way}):8}{len(way):10}")
        if arguments.list:
            print(*(f"  {file}:{line} {function}" for file, function, line in way), sep="\n")


if __name__ == "__main__":
    main()
