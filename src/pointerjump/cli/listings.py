"""The commands that list what there is: ``devices`` and ``algorithms``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.table import Table

from pointerjump.cli.complaints import FAILED, complain
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import json_option
from pointerjump.cli.report import report
from pointerjump.cli.terminal import table_with_headings, with_note

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.registry import Algorithm


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("What works here", "pointerjump devices"),
        example("What programs read", "pointerjump devices --json"),
    ),
)
@json_option
def devices(as_json: bool) -> None:
    """List every OpenCL device, what it can do and whether it works."""
    from pointerjump.accel.runtime import devices as there
    from pointerjump.accel.runtime.icd import how_to_install

    found = there.devices()
    shown = [_table_of_devices(found)] if found else []
    report(as_json, [device.as_dict() for device in found], *shown)
    if not any(device.works for device in found):
        complain(f"no usable OpenCL device: {how_to_install()}")
        raise click.exceptions.Exit(FAILED)


def _table_of_devices(found: list[Device]) -> Table:
    headings = ("works", "device", "type", "OpenCL C", "units", "memory", "largest buffer", "has")
    table = table_with_headings("OpenCL devices", headings)
    for device in found:
        abilities = {
            "int64 atomics": device.int64_atomics,
            "relaxed atomics": device.relaxed_atomics,
            "sub-groups": device.subgroups,
            "host memory": device.host_memory,
        }
        table.add_row(
            "yes" if device.works else f"no: {device.why_not}",
            with_note(device.device, device.platform),
            device.type,
            device.version.removeprefix("OpenCL C "),
            str(device.compute_units),
            f"{device.memory / 2**30:.1f} GiB",
            f"{device.max_allocation / 2**30:.1f} GiB",
            ", ".join(name for name, there in abilities.items() if there),
        )
    return table


@click.command(
    cls=CommandWithExamples,
    examples=(example("All of them", "pointerjump algorithms"),),
)
@json_option
def algorithms(as_json: bool) -> None:
    """List every algorithm with its paper and variants."""
    from pointerjump import registry

    found = registry.algorithms()
    report(as_json, [algorithm.as_dict() for algorithm in found], _table_of_algorithms(found))


def _table_of_algorithms(found: list[Algorithm]) -> Table:
    headings = ("name", "title and paper", "variants (default first)", "reference", "kernels")
    table = table_with_headings("Algorithms", headings, show_lines=True)
    for algorithm in found:
        variants = [
            f"{axis.name}={'|'.join(str(value).lower() for value in axis.values)}" for axis in algorithm.axes
        ]
        table.add_row(
            algorithm.name,
            with_note(algorithm.title, algorithm.paper),
            "\n".join(variants),
            "yes" if algorithm.reference else "",
            "yes" if algorithm.kernels else "",
        )
    return table
