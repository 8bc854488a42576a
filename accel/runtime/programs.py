"""Kernel sources: read from package data, with their headers inlined, and built.

The loader here resolves ``#include "..."`` itself. So the ``.cl`` files remain valid for editors, work from
a zip, and need no ``-I`` path, which in PoCL must not contain a space.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pointerjump.accel.runtime.compiler import build_quietly
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.probe import telling_line
from pointerjump.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

_INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


@cache
def source(name: str) -> str:
    """Return the source of a file in ``kernels_cl/``, with each header that it includes inlined once."""
    included: set[str] = set()

    def inline(file: str) -> str:
        text = files("pointerjump.kernels_cl").joinpath(file).read_text("utf-8")

        def replace(match: re.Match[str]) -> str:
            header = match[1]
            if header in included:
                return ""
            included.add(header)
            after = text.count("\n", 0, match.start()) + 2  # the line after the include
            return f'#line 1 "{header}"\n{inline(header)}\n#line {after} "{file}"'

        return _INCLUDE.sub(replace, text)

    return inline(name)


def options(defines: Mapping[str, object]) -> list[str]:
    """Return build options that define macros: True defines one without a value, False and None omit it."""
    return [
        f"-D{name}" if value is True else f"-D{name}={value}"
        for name, value in sorted(defines.items())
        if value is not None and value is not False
    ]


def build(context: cl.Context, name: str, build_options: list[str]) -> Any:
    """Build a kernel file for the one device of `context`.

    Raises
    ------
    DeviceError
        If the driver cannot compile it. The message quotes the line of the build log that says why.
    """
    cl = opencl()
    try:
        return build_quietly(cl.Program(context, source(name)).build, options=build_options)
    except cl.Error as error:
        device = context.devices[0]
        raise DeviceError(
            f"{device.platform.name.strip()} cannot build {name} for {device.name.strip()}: "
            f"{telling_line(error)}; choose another device (pointerjump devices lists them)"
        ) from None
