"""Finds or creates the session of a device, or of a command queue that a caller passes."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any

from pointerjump.accel.runtime.devices import Device, choose
from pointerjump.accel.runtime.icd import opencl, require_own_process
from pointerjump.accel.runtime.programs import telling_line
from pointerjump.accel.runtime.session import Session, making, of_queues
from pointerjump.errors import DeviceError

_sessions: dict[Device, Session] = {}
_asked_before: dict[Hashable, Session] = {}


def session_for(device: object = None, input_session: Session | None = None) -> Session:
    """Return the session of a device.

    `device` may be anything that :func:`devices.choose` accepts, or a session. A pyopencl command queue has
    its own session. This session lives as long as the queue and enqueues all its work there. If the input is
    already on a device, the input's session is passed as `input_session` and returned. `device` must then be
    the same device or None.
    """
    require_own_process()
    if input_session is not None:
        require_same_device(input_session, device)
        return input_session
    if isinstance(device, Session):
        return device
    if device is None or isinstance(device, str):  # kept, because choosing takes longer than a small graph
        question: Hashable = device
        if device is None:
            question = (os.environ.get("PYOPENCL_TEST"), os.environ.get("PYOPENCL_CTX"))
        if question not in _asked_before:
            _asked_before[question] = _session_of(choose(device))
        return _asked_before[question]
    if isinstance(device, opencl().CommandQueue):
        return _session_of_queue(device)
    return _session_of(choose(device))


def device_queue(device: object = None) -> Any:
    """Return a new pyopencl command queue on a working device, for the caller's own kernels.

    Arrays on this queue can be passed to pointerjump's functions, which use them in place. The queue keeps a
    reference to its context, because some drivers free the context too early.

    Parameters
    ----------
    device : str, Device or pyopencl object, optional
        As for :func:`components`. Defaults to the fastest working device.

    Returns
    -------
    queue : pyopencl.CommandQueue

    Raises
    ------
    DeviceError
        If there is no such device, or if none works.

    See Also
    --------
    devices : Lists all devices.

    Examples
    --------
    >>> import numpy as np
    >>> import pyopencl.array as cl_array
    >>> import pointerjump as pj
    >>> queue = pj.device_queue()
    >>> pj.label(cl_array.to_device(queue, np.array([1, 0, 1, 1]))).get().tolist()
    [1, 0, 2, 2]
    """
    session = session_for(device)
    queue = opencl().CommandQueue(session.context)
    queue.pointerjump_context = session.context
    return queue


def _session_of(device: Device) -> Session:
    if device not in _sessions:
        with making:
            if device not in _sessions:
                _sessions[device] = Session(device)
    return _sessions[device]


def _session_of_queue(queue: Any) -> Session:
    """Return the session that is stored as an attribute of a caller's queue.

    pyopencl's queues support attributes, but not weak references. The session uses a different Python object
    for the same OpenCL queue, so the queue and the session do not form a reference cycle.
    """
    if hasattr(queue, "pointerjump_session"):
        return queue.pointerjump_session  # type: ignore[no-any-return]
    with making:
        session = of_queues.get(queue.int_ptr)
        if session is None:
            cl = opencl()
            try:
                own = cl.CommandQueue.from_int_ptr(queue.int_ptr, retain=True)
                session = Session(choose(queue), own)
            except cl.Error as error:
                raise DeviceError(
                    f"the command queue cannot be used: {telling_line(error)}; make a new one"
                ) from None
        if session.queue is not queue:
            queue.pointerjump_session = session
    return session


def require_same_device(here: Session, device: object) -> None:
    """Raise a DeviceError if `device` is neither None nor the device of the session `here`."""
    if device is None:
        return
    asked = session_for(device).device
    if asked != here.device:
        raise DeviceError(
            f"the input is on {here.device}, not on {asked}: leave device out, or give the original instead"
        )
