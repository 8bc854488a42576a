"""Two-pass labelling of images, by runs, on a device."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.labels import number_in_place
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.images import FEWER, ResidentImage
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.images import MOST_AXES, Image, earlier_offsets
from pointerjump.limits import MOST_NARROW_VERTICES

if TYPE_CHECKING:
    import pyopencl as cl

AXES = ("SLOWEST", "THIRD", "SECOND", "FASTEST")


def prepare(image: ResidentImage, access: str, reads: str) -> Plan:
    session, given, tuning = image.session, image.image, image.session.tuning
    shape = (1,) * (MOST_AXES - len(given.shape)) + given.shape
    rows, width = prod(shape[:3]), shape[3]
    bits = tuning.word_bits
    words = rows * -(-width // bits)
    wide_image = given.size >= 1 << 31
    place = np.uint64 if wide_image else np.uint32
    most = rows * (-(-width // 2)) if given.alike == "foreground" and given.background is not None else given.size
    wide = most > MOST_NARROW_VERTICES
    vertices = np.uint64 if wide else np.uint32
    vertex = np.int64 if wide else np.int32
    word = np.dtype(f"u{bits // 8}")

    out_order = strides_like(shape, image.strides)
    label_strides = out_order
    strides = (0,) * (MOST_AXES - len(given.shape)) + tuple(image.strides)
    layout = session.put_writable(np.array([*shape, *strides, image.first_byte, *label_strides], np.int64), "layout")
    neighbors = neighbor_rows(given)
    values, macros = values_of(given)
    macros = {
        **macros,
        "BITS": bits, "WIDE_IMAGE": wide_image, "WIDE_VERTICES": wide, "NEIGHBORS": len(neighbors), "WAYS": ways(neighbors, given.connectivity, len(given.shape)),
        "WIDE_LABELS": given.label_dtype == np.int64, "ADJACENT_LABELS": label_strides[3] == 1,
        "ALIGNED_LABELS": label_strides[3] == 1 and all(x % 4 == 0 for x in label_strides[:3]) and given.label_dtype == np.int32 and width % 4 == 0,
        "ALIGNED_BYTES": all(x % 8 == 0 for x in (*strides[:3], image.first_byte)),
        "ADJACENT_BYTES": given.pixels.dtype.itemsize == 1 and strides[3] == 1,
        "SHORTEN_PATHS": os.environ.get("SHORT", "1" if tuning.shorten_paths else "0") == "1", "READS_ATOMIC": reads == "atomic",
        **{f"WRAPS_{a + 4 - len(given.shape)}": 1 if w else 0 for a, w in enumerate(given.wraps)},
    }
    for a in range(4):
        macros.setdefault(f"WRAPS_{a}", 0)

    def kernels(acc, strip, by, group=1):
        order = sorted(range(4), key=lambda axis: -abs(by[axis]) if shape[axis] > 1 else -(1 << 62)) if by else range(4)
        return session.kernels("two_pass.cl", acc, **{**macros, "STRIP": strip, "GROUP": group, **dict(zip(AXES, order))})

    scratch = session.scratch.buffer
    foreground = scratch(session, "foreground", words, word)
    begins = scratch(session, "begins", words, word)
    before = scratch(session, "before", words, vertices)
    runs_of = foreground, begins, before
    over = session.shapes.over

    strip = tuning.strip if access == "partitioning" else bits
    strips = rows * -(-width // strip)
    n = place(strips)
    find = kernels(access, strip, strides)("find_runs", over(strips), n, layout, image.pixels, *values, foreground, begins)
    shape_w, one = over(words), session.shapes.one_group()
    counts = scratch(session, "counts", shape_w.groups + 1, vertices)
    kw, ko = (kernels("partitioning", strip, None, s.local_size[0]) for s in (shape_w, one))
    count = kw("count_runs", shape_w, place(words), begins, counts)
    add = ko("add_up", one, np.uint32(shape_w.groups), counts)
    number = kw("number_runs", shape_w, place(words), begins, counts, before)
    labels = DeviceArray(session, given.size, given.label_dtype, "the labels", "labels", FEWER)

    def rest():
        runs = int(session.get(counts, 1, vertices, first=shape_w.groups)[0])
        parent = scratch(session, "the runs' parents", max(1, runs), vertex)
        k = kernels(access, strip, None)
        args = n, layout, image.pixels, *values, *runs_of, parent
        compress = k("compress_all", over(runs, at_once=True), vertices(runs), parent)
        shape = over(strips, fewest_each=max(1, strips // (session.device.compute_units * 8))) if tuning.kind == "cpu" else over(strips)
        k("hook_first", shape, *args)()
        if access == "striding":
            compress()
        import os
        one_in = int(os.environ.get("ONE_IN", 1))
        if access == "striding" and one_in > 1:
            k("link_rest", over(strips // one_in), n, place(one_in), *args[1:])()
            compress()
        k("link_rest", shape, n, place(1), *args[1:])()
        compress()
        c = number_in_place(session, parent, runs, wide=wide, show=False)
        ls = tuning.label_strip
        s = rows * -(-width // ls)
        kernels(access, ls, label_strides)("write_labels", over(s), place(s), layout, *runs_of, parent, labels.buffer)()
        return {"runs": runs, "components": c()}

    plan = Plan(labels.buffer, [find, count, add, number], rest)
    plan.out = labels
    return plan


def strides_like(shape, strides):
    order = range(4)
    if len(strides) > 1:
        pad = (1 << 60,) * (4 - len(strides)) + tuple(strides)
        order = sorted(range(4), key=lambda a: -abs(pad[a]))
    out, step = [0] * 4, 1
    for a in reversed(order):
        out[a] = step
        step *= max(1, shape[a])
    return tuple(out)


def neighbor_rows(image):
    ndim = len(image.shape)
    reach = {}
    for o in earlier_offsets(ndim, image.connectivity):
        row = (0,) * (4 - ndim) + o[:-1]
        if any(row):
            reach[row] = reach.get(row, 0) | (o[-1] != 0)
    hub = (0,) * (4 - ndim) + (-1,) + (0,) * (ndim - 2)
    within = lambda row: row[4 - ndim] == 0
    return [(*row[-3:], int(r)) for row, r in sorted(reach.items(), key=lambda i: (i[0][-3:] != hub[-3:], not within(i[0]), i[0]))]


def ways(rows, connectivity, ndim):
    hub = [0, 0, 0]
    if ndim > 1:
        hub[4 - ndim] = -1
    hub = tuple(hub)
    index = {r[:3]: i for i, r in enumerate(rows)}
    out = []
    for i, r in enumerate(rows):
        c0 = c1 = side = -1
        if r[:3] != hub:
            d = [a - b for a, b in zip(hub, r)]
            if max(map(abs, d)) <= 1:
                n = sum(map(abs, d))
                if n <= connectivity: c0 = index[hub]
                if n + 1 <= connectivity: c1 = index[hub]
            below = tuple(a - b for a, b in zip(r[:3], hub))
            if below in index:
                side = index[below]
        out.append(f"{{{{{r[0]},{r[1]},{r[2]}}},{r[3]},{{{c0},{c1}}},{side}}}")
    return ",".join(out) or "{{0,0,0},0,{-1,-1},-1}"


def values_of(image):
    dtype = image.pixels.dtype
    names = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
    u = np.dtype(f"u{dtype.itemsize}")
    if image.alike == "foreground":
        ones = 2 ** (8 * u.itemsize) - 1
        mask = ones >> 1 if dtype.kind == "f" else ones
        bg = 0
        return (u.type(bg), u.type(mask), np.uint8(0)), {"VALUE": names[u.itemsize], "DIFFERENCE": "uchar", "ALIKE_FOREGROUND": True}
    raise NotImplementedError
