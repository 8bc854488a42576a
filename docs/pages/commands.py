"""The page of the command line: what each command does, its options, and examples with what they print."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from pages.markdown import code, folded, table
from pointerjump.cli import cli, run, terminal
from pointerjump.cli.commands import Example
from pointerjump.cli.steps import SECONDS

WIDTH = 80
"""How many columns of output fit beside the table of contents."""
LONG = 30
"""Output with more lines than this is folded."""

EXIT_CODES = {
    "0": "Success. With `--verify`, the answer was checked and is right.",
    "1": "A check failed: an answer is wrong, or no device works. The answer is not written.",
    "2": "The input or the command is faulty. One line on standard error says what is wrong.",
    "128 + *n*": "Signal *n* ended the command: 130 is Ctrl-C.",
}

COMPLETION = """\
## Completion in the shell { #completion }

The Tab key completes commands, options and names of files. It also knows the names of algorithms (after
`--algorithm` and `draw`), properties (after `measure`), generators and presets (wherever a spec is allowed)
and devices. Add these lines to the file that your shell reads when it starts.

bash, version 4.4 or later, in `~/.bashrc`:

```sh
COMP_WORDBREAKS=${COMP_WORDBREAKS//[:=]}
eval "$(_POINTERJUMP_COMPLETE=bash_source pointerjump)"
```

The first line is for specs: without it, bash takes `kron:scale=12` for five words and completes only the
first. It changes how bash splits words for other commands, too. Leave it out if these need the colon.

zsh, in `~/.zshrc`, below the line with `compinit`:

```sh
eval "$(_POINTERJUMP_COMPLETE=zsh_source pointerjump)"
```

fish, in `~/.config/fish/completions/pointerjump.fish`:

```sh
_POINTERJUMP_COMPLETE=fish_source pointerjump | source
```
"""


def commands_page() -> str:
    """Return every command, what exit codes mean, and how a shell completes commands."""
    parts = [
        "# Command line",
        "",
        "This page is for those who work in a shell.",
        "",
        *inspect.cleandoc(cli.help or "").splitlines()[2:],
        "[Generators and presets](generators.md) shows all specs. Every command prints a table for people "
        "or, with `--json`, one JSON document for programs. `pointerjump COMMAND --help` shows options and "
        "examples.",
        "",
        *table(
            ("command", "what it does"),
            [(f"[`{name}`](#{name})", _summary(command)) for name, command in cli.commands.items()],
        ),
        "",
        "Unless it says otherwise, each example ran while this page was built. Each command's examples ran "
        "in one folder, from top to bottom, on the device that the site was built on.",
        "",
    ]
    with click.Context(cli, info_name="pointerjump") as root:
        for name, command in cli.commands.items():
            with click.Context(command, info_name=name, parent=root) as context:
                parts += [f"## {name} {{ #{name} }}", "", *described(command, context)]
    parts += [
        "## Times",
        "",
        "`cc`, `rank`, `forest` and `label` say how long each step took: in the line `time`, and in JSON as "
        "`seconds`. Steps do not overlap, and add up to `total`. Each command has some of them.",
        "",
        *table(("step", "what takes the time"), [(f"`{name}`", what) for name, what in SECONDS.items()]),
        "",
    ]
    parts += ["## Exit codes", "", *table(("code", "meaning"), list(EXIT_CODES.items()))]
    return "\n".join([*parts, "", COMPLETION])


def described(command: click.Command, context: click.Context) -> list[str]:
    """Return a command: synopsis, what it does, examples and options."""
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [code("sh", usage), inspect.cleandoc(command.help or ""), ""]
    parts += ["**Examples**", ""]
    with TemporaryDirectory() as folder, chdir(folder):
        for each in getattr(command, "examples", ()):
            parts += shown(each)
    options = [_option(each, context) for each in command.get_params(context) if _is_option(each)]
    return [*parts, "**Options**", "", *table(("option", "meaning", "default"), options), ""]


def shown(example: Example) -> list[str]:
    """Run an example; return what it shows, its lines, and what they print."""
    parts = [f"{example.about}:", "", code("sh", "\n".join(example.lines))]
    if example.seconds:
        return [*parts, f"This takes about {example.seconds} seconds, and did not run for this page.", ""]
    printed = []
    for line in example.lines:
        text, exit_code = printed_by(line)
        printed.append(text)
    if exit_code != example.exit_code:
        raise AssertionError(f"{line}: exit code {exit_code}\n{text}")
    output = "".join(printed)
    block = code("text", output) if output.strip() else ""
    lines = len(output.splitlines())
    if lines > LONG:
        block = folded(f"What it prints: {lines} lines", block, "note")
    return [*parts, block, *([f"The exit code is {exit_code}.", ""] if exit_code else [])]


def printed_by(line: str) -> tuple[str, int]:
    """Run a line as a shell would; return what it prints and its exit code."""
    words = shlex.split(line)
    if words[0] != "pointerjump" or "|" in words:
        here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            line,
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**os.environ, "PATH": here},
        )
        return done.stdout, done.returncode
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), _narrow():
        exit_code = run(words[1:])  # in this process, which has the kernels already
    return "\n".join(each.rstrip() for each in printed.getvalue().splitlines()) + "\n", exit_code


@contextmanager
def _narrow() -> Iterator[None]:
    """Have tables fit the page while this lasts."""
    before, terminal.out.width = terminal.out.width, WIDTH
    try:
        yield
    finally:
        terminal.out.width = before


def _is_option(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and not parameter.hidden


def _option(option: click.Parameter, context: click.Context) -> list[str]:
    """Return an option's names, what it means, and its default."""
    assert isinstance(option, click.Option)
    names = ", ".join(option.opts) + (f" / {option.secondary_opts[0]}" if option.secondary_opts else "")
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    meaning = option.help or ""
    said = re.search(r" ?\[default: (.*)\]$", meaning)
    default = said[1] if said else f"`{option.default}`" if option.show_default else ""
    return [f"`{names}{value}`", meaning[: said.start()] if said else meaning, default]


def _summary(command: click.Command) -> str:
    """Return the first sentence of a command's help, whole."""
    return " ".join((command.help or "").split("\n\n")[0].split())
