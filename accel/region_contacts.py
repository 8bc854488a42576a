"""Finds contacts between the regions of a labelled image on a device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.labels import ResidentLabels
from pointerjump.errors import DeviceError

FIRST_SLOTS, GROWTH = 1 << 16, 4
"""The number of slots in the first hash table, and the factor by which each later table is larger than the
one before."""

CONTACT = np.dtype([("pair", np.uint64), ("faces", np.uint64)])


def find_contacts(
    labels: ResidentLabels, *, access: str | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the pairs of touching labels, in ascending order, and the number of faces each pair shares.

    A DeviceError is raised if the device has no 64-bit atomics.
    """
    session = labels.session
    if not session.device.int64_atomics:
        raise DeviceError(
            f"{session.device.device} has no 64-bit atomics, which contacts need: choose another device "
            '(pointerjump devices), or device="reference"'
        )
    slots = FIRST_SLOTS
    with session.running():
        while (table := _fill(labels, slots, access)) is None:
            slots *= GROWTH
        found = table.take(2 * slots).view(CONTACT)
        found = np.sort(found[found["pair"] != 0], order="pair")
    pairs = np.stack([found["pair"] >> np.uint64(32), found["pair"] & np.uint64(0xFFFFFFFF)], axis=-1)
    return pairs.astype(np.int64), found["faces"].astype(np.int64)


def _fill(labels: ResidentLabels, slots: int, access: str | None) -> DeviceArray | None:
    """Return a hash table of all contacts, or None if the table needs more slots."""
    session, strip = labels.session, labels.session.tuning.strip
    over = labels.over(strip)
    table = DeviceArray(session, 2 * slots, np.uint64, "a table of the contacts")
    crowded = session.scratch("whether slots are crowded", 1, np.uint64)
    session.fill(crowded, 0, 2)
    kernel = labels.label_kernels(
        "region_contacts.cl", access, strip, WIDE_VERTICES=True, GROUP=over.local_size[0]
    )
    kernel("clear", session.shapes.over(slots), np.uint64(slots), table.buffer)()
    hashed = np.uint64(slots - 1), np.uint32(64 - (slots.bit_length() - 1))
    kernel("find_contacts", over, *labels.given(strip), *hashed, table.buffer, crowded)()
    return None if session.get(crowded, 1, np.uint64)[0] else table
