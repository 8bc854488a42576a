"""Device implementation of two-pass image labelling, which works on runs of pixels."""

from __future__ import annotations

from functools import partial

import numpy as np

from pointerjump.accel.labels import number_in_place
from pointerjump.accel.neighbor_rows import rows_macros
from pointerjump.accel.pixel_values import NOT_COMPARED, pixel_values
from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.images import ResidentImage
from pointerjump.base.limits import MOST_NARROW_VERTICES
from pointerjump.errors import DeviceError

PARTS_PER_UNIT = 8
"""With partitioning, the number of parts per compute unit. It is small, because contacts across the borders
of parts require atomics."""


def prepare(image: ResidentImage, access: str, reads: str) -> Plan:
    session, tuning, given = image.session, image.session.tuning, image.image
    over, scratch = session.shapes.over, session.scratch
    bits, strip = tuning.word_bits, tuning.strip if access == "partitioning" else tuning.word_bits
    strips, words = image.strips(strip), image.strips(bits)
    most_runs = image.strips(2 if given.alike == "foreground" else 1)
    wide = most_runs > MOST_NARROW_VERTICES
    if wide and not session.device.int64_atomics:
        raise DeviceError(
            f"an image of {given.size:,} pixels may need 64-bit parents, and {session.device.device} has no "
            "64-bit atomics: use label_chunks, or choose another device (pointerjump devices)"
        )
    count_t, word_t = (np.uint64 if wide else np.uint32), np.dtype(f"u{bits // 8}")
    values = pixel_values(image)

    layout = image.layout()
    foreground, begins = scratch("foreground", words, word_t), scratch("begins of runs", words, word_t)
    before = scratch("runs before words", words, count_t)
    runs_of = foreground, begins, before
    over_words, one_group = over(words), session.shapes.one_group()
    counts = scratch("runs", over_words.groups + 1, count_t)
    n, w = image.count_t(strips), image.count_t(words)

    find = image.kernels("image_runs.cl", access, strip, image.strides, **values.macros)
    widths = {"WORD_BITS": bits, "WIDE_IMAGE": image.wide, "WIDE_VERTICES": wide}
    numbers = partial(session.kernels, "run_numbers.cl", "partitioning", **widths)
    number, add_up = numbers(GROUP=over_words.local_size[0]), numbers(GROUP=one_group.local_size[0])
    begin = [
        find("find_runs", over(strips), n, layout, image.pixels, *values.arguments, foreground, begins),
        number("count_runs", over_words, w, begins, counts),
        add_up("add_up", one_group, np.uint32(over_words.groups), counts),
        number("number_runs", over_words, w, begins, counts, before),
    ]

    compared = values if given.alike != "foreground" else NOT_COMPARED
    join = image.kernels(
        "two_pass.cl",
        access,
        strip,
        **rows_macros(len(given.shape), given.connectivity),
        READS_ATOMIC=reads == "atomic",
        SHORTEN_PATHS=True,
        WIDE_VERTICES=wide,
        **compared.macros,
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
        parent = scratch("runs' parents", max(1, runs), np.int64 if wide else np.int32)
        parts = PARTS_PER_UNIT * session.device.compute_units
        over_parts = over(strips, fewest_each=max(1, strips // parts) if access == "partitioning" else 1)
        joined = n, layout, image.pixels, *compared.arguments, *runs_of, parent
        compress = join("compress_all", over(runs, at_once=True), count_t(runs), parent)
        join("hook_first", over_parts, *joined)()
        if access == "striding":  # otherwise, trees are nearly flat
            compress()
        join("link_rest", over_parts, *joined)()
        compress()
        components = number_in_place(session, parent, runs, reads, wide=wide)
        if image.relabel is not None:
            number = session.get(parent, runs, np.int64 if wide else np.int32)
            number += 1  # labels count from 1
            other = image.relabel(number, components())
            other -= 1
            session.copy_into(parent, other.astype(number.dtype, copy=False))
        written = image.count_t(label_strips), layout, *runs_of, parent, image.label
        write("write_labels", over(label_strips), *written)()
        return {"runs": runs, "components": components()}

    return Plan(image.label, begin, join_and_write, read=image.read_labels)
