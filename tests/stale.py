"""A session for tests in which plain reads may be stale, as ``kernels_cl/stale.h`` describes.

An algorithm with benign races claims to be right even if every plain read is stale. This session tests that
claim on a CPU device. The device must run work-items one after the other, in a single thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Launch, Session
from pointerjump.accel.shapes import Shape

if TYPE_CHECKING:
    import pyopencl as cl

ROOM = 1 << 13  # words in a buffer; the areas of stale.h follow them
WRITER, WRITERS, AREAS = 3, 4, 6


class StaleSession(Session):
    """A session whose kernels are built with STALE_READS, for graphs of fewer than ROOM vertices.

    Parameters
    ----------
    device : Device
    seed : int
        The seed for the random choice between a word's values.
    """

    def __init__(self, device: Device, seed: int = 1) -> None:
        super().__init__(replace(device, host_memory=False))  # nothing in place: records lie behind buffers
        self.tuning = replace(self.tuning, small=ROOM - 1)  # small enough for scratch to have records, too
        self.seed = seed
        self._shadowed: list[Any] = []

    def program(self, file: str, **defines: object) -> Any:
        """Return the program of a kernel file, built with these macros and those of ``stale.h``."""
        return super().program(file, STALE_READS=self.seed, STALE_ROOM=ROOM, **defines)

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Any:
        """Return a launch that begins with clean records of every buffer that it may write."""
        launch = super().launch(program, name, shape, *arguments)
        return CleanLaunch(self, launch, [a for a in arguments if a in self._shadowed])

    def _allocate(
        self, size: int, what: str, flags: int, hostbuf: npt.NDArray[Any] | None = None
    ) -> cl.Buffer:
        # Buffers in place are only read. Larger buffers hold edges, which no kernel reads with LOAD.
        if hostbuf is not None or size > 4 * ROOM:
            return super()._allocate(size, what, flags, hostbuf)
        buffer = super()._allocate(4 * ROOM * AREAS, what, flags)
        opencl().enqueue_fill_buffer(self.queue, buffer, np.int32(0), 0, 4 * ROOM * AREAS)
        self._shadowed.append(buffer)
        return buffer


@dataclass
class CleanLaunch:
    """A launch that first resets every word's record: its only value is the present one, with no writer."""

    session: StaleSession
    launch: Launch
    buffers: list[Any]

    def again(self, *first: np.generic) -> Any:
        """Set the first arguments, and enqueue it."""
        self.launch.set(*first)
        return self()

    def __call__(self) -> Any:
        """Enqueue it; return the event."""
        enqueue, queue = opencl(), self.session.queue
        for buffer in self.buffers:
            enqueue.enqueue_copy(queue, buffer, buffer, byte_count=4 * ROOM, dst_offset=4 * ROOM)
            enqueue.enqueue_fill_buffer(
                queue, buffer, np.int32(0), 4 * ROOM * WRITER, 4 * ROOM * (WRITERS + 1 - WRITER)
            )
        return self.launch()
