"""Two-pass labelling of images on a device, by runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.labels import number_in_place
from pointerjump.accel.list_scan import has_doubles
from pointerjump.accel.neighbor_rows import neighbor_rows
from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.images import Relabel, ResidentImage
from pointerjump.errors import DeviceError
from pointerjump.limits import MOST_NARROW_VERTICES

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Kernels

Numbers = npt.NDArray[Any]

PARTS_PER_UNIT = 8
"""With partitioning, contacts across the borders of parts take atomics, so there are few parts."""

_NAMES = {"i": ("char", "short", "int", "long"), "u": ("uchar", "ushort", "uint", "ulong")}


def prepare(image: ResidentImage, access: str, reads: str) -> Plan:
    """Plan labelling an image."""
    session, tuning, given = image.session, image.session.tuning, image.image
    over, scratch = session.shapes.over, session.scratch.buffer
    bits, strip = tuning.word_bits, tuning.strip if access == "partitioning" else tuning.word_bits
    strips, words = image.strips(strip), image.words
    wide = _most_runs(image) > MOST_NARROW_VERTICES
    count_t, word_t = (np.uint64 if wide else np.uint32), np.dtype(f"u{bits // 8}")
    values, of_values = _values(image)

    layout = image.layout()
    foreground, begins = (scratch(session, what, words, word_t) for what in ("foreground", "begins of runs"))
    before = scratch(session, "runs before words", words, count_t)
    runs_of = foreground, begins, before
    over_words, one_group = over(words), session.shapes.one_group()
    counts = scratch(session, "runs", over_words.groups + 1, count_t)
    n, w = image.count(strips), image.count(words)

    def numbers(group: int) -> Kernels:
        return session.kernels(
            "run_numbers.cl",
            "partitioning",
            BITS=bits,
            GROUP=group,
            WIDE_IMAGE=image.wide,
            WIDE_VERTICES=wide,
        )

    find = image.kernels("image_runs.cl", access, strip, image.strides, **of_values)
    number, add_up = numbers(over_words.local_size[0]), numbers(one_group.local_size[0])
    begin = [
        find("find_runs", over(strips), n, layout, image.pixels, *values, foreground, begins),
        number("count_runs", over_words, w, begins, counts),
        add_up("add_up", one_group, np.uint32(over_words.groups), counts),
        number("number_runs", over_words, w, begins, counts, before),
    ]

    rows = neighbor_rows(len(given.shape), given.connectivity)
    if given.alike == "foreground":  # the bits are enough
        values, of_values = (np.uint8(0),) * 3, {"ALIKE_FOREGROUND": True, **_BYTE}
    join = image.kernels(
        "two_pass.cl",
        access,
        strip,
        NEIGHBORS=len(rows),
        ROWS=",".join(row.initializer() for row in rows) or "{{0}}",
        READS_ATOMIC=reads == "atomic",
        SHORTEN_PATHS=True,
        WIDE_VERTICES=wide,
        **of_values,
    )
    label_strips = image.strips(tuning.label_strip)
    write = image.kernels(
        "image_labels.cl",
        access,
        tuning.label_strip,
        image.label_strides,
        WIDE_LABELS=given.label_dtype == np.int64,
        WIDE_VERTICES=wide,
    )

    def join_and_write() -> Counts:
        runs = int(session.get(counts, 1, count_t, first=over_words.groups)[0])
        parent = scratch(session, "runs' parents", max(1, runs), np.int64 if wide else np.int32)
        parts = PARTS_PER_UNIT * session.device.compute_units
        over_parts = over(strips, fewest_each=max(1, strips // parts) if access == "partitioning" else 1)
        joined = n, layout, image.pixels, *values, *runs_of, parent
        compress = join("compress_all", over(runs, at_once=True), count_t(runs), parent)
        join("hook_first", over_parts, *joined)()
        if access == "striding":  # otherwise trees are nearly flat
            compress()
        join("link_rest", over_parts, *joined)()
        compress()
        components = number_in_place(session, parent, runs, wide=wide, show=False)
        if image.relabel is not None:
            number = session.get(parent, runs, np.int64 if wide else np.int32)
            session.copy_into(parent, _renumbered(number, image.relabel, components()))
        written = image.count(label_strips), layout, *runs_of, parent, image.label
        write("write_labels", over(label_strips), *written)()
        image.components = components()
        return {"runs": runs, "components": image.components}

    return Plan(image.label, begin, join_and_write)


def _renumbered(number: Numbers, relabel: Relabel, components: int) -> Numbers:
    """Return other numbers in place of those of runs' components, which take_numbers of numbering.cl left."""
    np.invert(number, out=number, where=number < 0)  # a root's number k is left as -1 - k
    number += 1  # as labels
    other = relabel(number, components)
    other -= 1
    return other.astype(number.dtype, copy=False)


def _most_runs(image: ResidentImage) -> int:
    """Return the most runs that an image of this shape can have."""
    return image.strips(2 if image.image.alike == "foreground" and image.image.background is not None else 1)


_BYTE: dict[str, object] = {"VALUE": "uchar", "DIFFERENCE": "uchar"}


def _values(image: ResidentImage) -> tuple[tuple[Any, ...], dict[str, object]]:
    """Return the arguments about the values of pixels, and the macros, as pixels.h takes them."""
    given = image.image
    dtype: np.dtype[Any] = given.pixels.dtype
    background, difference = given.background or 0, given.difference or 0
    macros = {
        f"ALIKE_{given.alike.upper()}": True,
        "BYTES": dtype.itemsize == 1,
        "NO_BACKGROUND": given.background is None,
    }
    if dtype.kind == "f" and (given.alike == "close" or background != 0):
        real = np.float64 if dtype.itemsize == 8 else np.float32
        if real is np.float64 and not has_doubles(image.session):
            raise DeviceError(
                f"{image.session.device.device} does not compute with 64-bit floating-point numbers: give "
                "the image as float32, or choose another device (pointerjump devices)"
            )
        name = "double" if real is np.float64 else "float"
        macros |= {"FLOATING": True, "HALF": dtype.itemsize == 2, "VALUE": name, "DIFFERENCE": name}
        return (real(background), real(0), real(difference)), macros
    kind = "i" if dtype.kind == "i" and given.alike == "close" else "u"
    power = dtype.itemsize.bit_length() - 1
    macros |= {"VALUE": _NAMES[kind][power], "DIFFERENCE": _NAMES["u"][power]}
    unsigned, value = np.dtype(f"u{dtype.itemsize}").type, np.dtype(f"{kind}{dtype.itemsize}")
    ones = 2 ** (8 * dtype.itemsize) - 1
    mask = ones >> 1 if dtype.kind == "f" else ones  # a zero may have a sign
    compared = (unsigned(number & ones).astype(value) for number in (int(background), mask))
    return (*compared, unsigned(difference)), macros
