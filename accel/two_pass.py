"""Two-pass labelling of images on a device, by runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.labels import number_in_place
from pointerjump.accel.list_scan import has_doubles
from pointerjump.accel.neighbor_rows import neighbor_rows
from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.images import ResidentImage
from pointerjump.errors import DeviceError
from pointerjump.images import MOST_AXES
from pointerjump.limits import MOST_NARROW_VERTICES

FEW_PARTS = 8
"""With partitioning, contacts across the borders of parts take atomics. So each compute unit has few parts."""

_NAMES = {"i": ("char", "short", "int", "long"), "u": ("uchar", "ushort", "uint", "ulong")}


def prepare(image: ResidentImage, access: str, reads: str) -> Plan:
    """Plan labelling an image."""
    session, tuning = image.session, image.session.tuning
    over, one_group, scratch = session.shapes.over, session.shapes.one_group(), session.scratch.buffer
    alone = access == "striding"
    strip = tuning.word_bits if alone else tuning.strip
    strips, words = image.strips(strip), image.words
    wide = _most_runs(image) > MOST_NARROW_VERTICES
    count_t = np.uint64 if wide else np.uint32
    word_t = np.dtype(f"u{tuning.word_bits // 8}")
    values, of_values = _values(image)
    wide_runs = {"WIDE_VERTICES": wide}

    layout = image.layout()
    foreground, begins = (scratch(session, what, words, word_t) for what in ("foreground", "begins of runs"))
    before = scratch(session, "runs before words", words, count_t)
    over_words = over(words)
    counts = scratch(session, "runs", over_words.groups + 1, count_t)
    n, w = image.count(strips), image.count(words)
    find = image.kernels("image_runs.cl", access, strip, image.strides, GROUP=1, **of_values, **wide_runs)
    number, add_up = (
        image.kernels(
            "image_runs.cl", "partitioning", strip, GROUP=shape.local_size[0], **of_values, **wide_runs
        )
        for shape in (over_words, one_group)
    )
    begin = [
        find("find_runs", over(strips), n, layout, image.pixels, *values, foreground, begins),
        number("count_runs", over_words, w, begins, counts),
        add_up("add_up", one_group, np.uint32(over_words.groups), counts),
        number("number_runs", over_words, w, begins, counts, before),
    ]
    rows = neighbor_rows(len(image.image.shape), image.image.connectivity)
    missing = (False,) * (MOST_AXES - len(image.image.shape))
    join = image.kernels(
        "two_pass.cl",
        access,
        strip,
        **of_values,
        **wide_runs,
        READS_ATOMIC=reads == "atomic",
        SHORTEN_PATHS=True,
        NEIGHBORS=len(rows),
        ROWS=",".join(row.initializer() for row in rows) or "{{0}}",
        **{f"WRAPS_{axis}": int(wraps) for axis, wraps in enumerate(missing + image.image.wraps)},
    )
    label_strip = tuning.label_strip
    write = image.kernels(
        "image_labels.cl",
        access,
        label_strip,
        image.label_strides,
        **wide_runs,
        WIDE_LABELS=image.image.label_dtype == np.int64,
        ADJACENT_LABELS=image.adjacent_labels,
        ALIGNED_LABELS=image.aligned_labels,
    )
    fewest_each = 1 if alone else strips // (FEW_PARTS * session.device.compute_units)

    def join_runs() -> Counts:
        runs = int(session.get(counts, 1, count_t, first=over_words.groups)[0])
        parent = scratch(session, "runs' parents", max(1, runs), np.int64 if wide else np.int32)
        over_strips = over(strips, fewest_each=max(1, fewest_each))
        joined = n, layout, image.pixels, *values, foreground, begins, before, parent
        compress = join("compress_all", over(runs, at_once=True), count_t(runs), parent)
        join("hook_first", over_strips, *joined)()
        if alone:  # otherwise trees are flat already
            compress()
        join("link_rest", over_strips, *joined)()
        compress()
        components = number_in_place(session, parent, runs, wide=wide, show=False)
        if image.relabel is not None:
            number = session.get(parent, runs, np.int64 if wide else np.int32)
            np.invert(number, out=number, where=number < 0)  # a root's number k is left as -1 - k
            number += 1
            label = image.relabel(number, components())
            label -= 1
            session.copy_into(parent, label.astype(number.dtype, copy=False))
        label_strips = image.strips(label_strip)
        given = image.count(label_strips), layout, foreground, begins, before, parent, image.label
        write("write_labels", over(label_strips), *given)()
        image.components = components()
        return {"runs": runs, "components": image.components}

    return Plan(image.label, begin, join_runs)


def _most_runs(image: ResidentImage) -> int:
    """Return the most runs that an image of this shape can have."""
    return image.strips(2 if image.image.alike == "foreground" else 1)


def _values(image: ResidentImage) -> tuple[tuple[Any, ...], dict[str, object]]:
    """Return the arguments about the values of pixels, and the macros, as pixels.h takes them."""
    given = image.image
    dtype: np.dtype[Any] = given.pixels.dtype
    floating = dtype.kind == "f" and (given.alike == "close" or given.background not in (0, None))
    macros: dict[str, object] = {
        f"ALIKE_{given.alike.upper()}": True,
        "NO_BACKGROUND": given.background is None,
        "ADJACENT_BYTES": image.adjacent_bytes,
        "ALIGNED_BYTES": image.aligned_bytes,
    }
    background, difference = given.background or 0, given.difference or 0
    if floating:
        double = dtype.itemsize == 8
        if double and not has_doubles(image.session):
            raise DeviceError(
                f"{image.session.device.device} does not compute with 64-bit floating-point numbers: give the image as "
                "float32, or choose another device (pointerjump devices)"
            )
        real = np.float64 if double else np.float32
        name = "double" if double else "float"
        macros |= {"FLOATING": True, "HALF": dtype.itemsize == 2, "VALUE": name, "DIFFERENCE": name}
        return (real(background), real(0), real(difference)), macros
    signed = dtype.kind == "i" and given.alike == "close"
    power = dtype.itemsize.bit_length() - 1
    macros |= {"VALUE": _NAMES["i" if signed else "u"][power], "DIFFERENCE": _NAMES["u"][power]}
    unsigned = np.dtype(f"u{dtype.itemsize}")
    ones = 2 ** (8 * dtype.itemsize) - 1
    mask = ones >> 1 if dtype.kind == "f" else ones  # a zero may have a sign
    bits = (unsigned.type(number & ones) for number in (int(background), mask))
    value = np.dtype(f"{'i' if signed else 'u'}{dtype.itemsize}")
    return (*(each.astype(value) for each in bits), unsigned.type(difference)), macros
