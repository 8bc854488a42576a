"""The examples in the commands' help run as they stand, and the Tab key completes what there is."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.shell_completion import ShellComplete, get_completion_class

from pointerjump.accel.runtime.devices import devices
from pointerjump.cli import cli
from pointerjump.cli.commands import CommandWithExamples, Example

DOCS = Path(__file__).resolve().parents[2] / "docs"
needs_device = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("pages.commands")


@pytest.fixture
def complete() -> ShellComplete:
    kind = get_completion_class("zsh")
    assert kind is not None
    return kind(cli, {}, "pointerjump", "_POINTERJUMP_COMPLETE")


def offered(complete: ShellComplete, *words: str) -> list[str]:
    """Return what is offered for the last word; `FILE` stands for names of files."""
    *before, begun = words
    found = complete.get_completions(before, begun)
    return ["FILE" if item.type == "file" else item.value for item in found]


# -- examples --------------------------------------------------------------------------------------


def test_every_command_has_examples() -> None:
    for name, command in cli.commands.items():
        assert isinstance(command, CommandWithExamples)
        assert command.examples
        lines = [line for each in command.examples for line in each.lines]
        assert any(f"pointerjump {name}" in line for line in lines)
        assert not any("\n" in line for line in lines)


@needs_device
@pytest.mark.parametrize("name", cli.commands)
def test_examples_run_as_they_stand(
    name: str, page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = cli.commands[name]
    assert isinstance(command, CommandWithExamples)
    for each in command.examples:
        if not each.seconds:
            text = "\n".join(page.shown(each))  # raises an error if an exit code is wrong
            assert "Traceback" not in text


def test_an_example_that_fails_is_an_error(page: ModuleType) -> None:
    with pytest.raises(AssertionError, match="no-such-generator"):
        page.shown(Example("Wrong", "pointerjump cc no-such-generator:scale=1"))
    assert "The exit code is 2." in page.shown(Example("Wrong", "pointerjump cc nothing:a=1", exit_code=2))


def test_help_ends_with_examples() -> None:
    command = CommandWithExamples("draw", examples=[Example("A " + "long " * 30, "x " * 60 + "-o  a.svg")])
    text = command.get_help(click.Context(command))
    assert "\nExamples:\n  A long" in text
    assert f"\n    {'x ' * 60}-o  a.svg" in text  # a line that is to be copied is not broken


def test_options_are_a_table(page: ModuleType) -> None:
    command = cli.commands["cc"]
    with click.Context(command, info_name="cc") as context:
        found = [page._option(option, context) for option in command.params if page._is_option(option)]
    assert [
        "`--labels [consecutive|representative]`",
        "Number components from 0, or name them by their smallest vertex or id.",
        "consecutive for graphs, representative for tables",
    ] in found
    assert ["`--algorithm NAME`", "See `pointerjump algorithms`.", "`auto`"] in found


# -- completion ------------------------------------------------------------------------------------


def test_names_of_algorithms_are_completed(complete: ShellComplete) -> None:
    assert offered(complete, "cc", "--algorithm", "fast") == ["fast-sv"]
    assert "auto" in offered(complete, "cc", "--algorithm", "")
    assert "wylie" not in offered(complete, "cc", "--algorithm", "")
    assert offered(complete, "rank", "--algorithm", "wy") == ["wylie"]
    assert offered(complete, "draw", "wy") == ["wylie"]
    assert offered(complete, "draw", "auto") == []


def test_specs_are_completed(complete: ShellComplete) -> None:
    assert offered(complete, "cc", "ur") == ["FILE", "urand"]
    assert offered(complete, "cc", "rmat2") == ["FILE", "rmat22.sym"]
    assert offered(complete, "generate", "star:") == ["star:vertices=", "star:scale="]
    assert offered(complete, "generate", "rmat16.sym:sc") == ["rmat16.sym:scale="]
    assert offered(complete, "generate", "path:seed=2,o") == [
        f"path:seed=2,order={order}" for order in ("natural", "reverse", "random", "bitreversed")
    ]
    assert offered(complete, "generate", "path:seed=2,s") == ["path:seed=2,scale="]
    assert offered(complete, "generate", "nothing:") == []


def test_names_of_files_are_left_to_the_shell(complete: ShellComplete) -> None:
    assert offered(complete, "cc", "") == ["FILE"]
    assert offered(complete, "cc", "graph.m") == ["FILE"]
    assert offered(complete, "convert", "a.mtx", "b") == ["FILE"]
    assert offered(complete, "verify", "a.mtx", "lab") == ["FILE"]


def test_properties_and_devices_are_completed(complete: ShellComplete) -> None:
    assert offered(complete, "measure", "gi") == ["giant-component"]
    assert offered(complete, "measure", "giant-component", "ring:ch") == ["FILE", "ring:chords="]
    assert offered(complete, "cc", "--device", "") == ["cpu", "gpu", "reference"]


def test_completion_looks_at_no_device(complete: ShellComplete) -> None:
    code = (
        "import sys; from pointerjump.cli import cli, commands as c\n"
        "import click; k = click.Context(cli.commands['cc'], info_name='cc')\n"
        "assert c.algorithms(k, None, '') and c.specs(k, None, '') and c.properties(k, None, '')\n"
        "assert c.devices(k, None, '')\n"
        "print('pyopencl' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_lines_on_the_page_give_each_shell_a_script(shell: str, page: ModuleType) -> None:
    assert f"_POINTERJUMP_COMPLETE={shell}_source pointerjump" in page.COMPLETION
    kind = get_completion_class(shell)
    assert kind is not None
    assert "_POINTERJUMP_COMPLETE" in kind(cli, {}, "pointerjump", "_POINTERJUMP_COMPLETE").source()
