"""Labels of images: :func:`label`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.images import ResidentImage
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.device_arrays import is_on_device, on_host, require_queue, write_on_device
from pointerjump.errors import ImageError
from pointerjump.images import Image, Relabel, image_of
from pointerjump.integers import largest_of
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.selection import Choice
from pointerjump.run import Order, Run, Seconds, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

Labels = npt.NDArray[Any]


def label(
    image: Any,
    connectivity: int = 1,
    *,
    multilabel: bool = False,
    background: int | float | None = 0,
    delta: int | float | None = None,
    wrap_axes: int | Iterable[int] = (),
    out: Any = None,
    return_num: bool = False,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> Any:
    """Label the connected components of an image or a volume.

    The elements of the array are called pixels, in volumes too. A component is a set of pixels that are
    connected by steps from neighbor to neighbor, all in the foreground. Labels are numbers from 1 on, in scan
    order (that of a C array) of each component's first pixel, as in :func:`scipy.ndimage.label`.

    Parameters
    ----------
    image : array_like or pyopencl array
        With 1 to 4 dimensions, of bools, integers, or floating-point numbers of at most 64 bits. It may have
        any strides, and is not copied if the device shares the host's memory.
    connectivity : int
        Along how many axes neighbors may differ: 1, which means that they share faces, up to the number of
        dimensions. Or the number of neighbors: 4 or 8 in images, 6, 18 or 26 in volumes.
    multilabel : bool
        Whether only neighbors with equal values belong together. The image must hold integers or bools.
    background : int, float or None
        Pixels with this value get the label 0. All others are foreground, NaN too. None: there is no
        background.
    delta : int or float, optional
        Neighbors belong together if their values differ by no more than this, whatever `multilabel` is.
        Differences of floating-point
        numbers of up to 32 bits are computed with 32 bits. NaN differs from everything.
    wrap_axes : int or iterable of int
        Periodic axes, whose last pixels are neighbors of the first ones. Give them to :func:`regions` and
        :func:`contacts`, too.
    out : ndarray or pyopencl array, optional
        Where to write the labels, of the image's shape and any integer dtype that can hold them.
    return_num : bool
        Whether to return the number of components, too.
    algorithm : str
        An image-labelling name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`. A pyopencl array is labelled where it is.
    **variant
        Choices on the algorithm's axes.

    Returns
    -------
    labels : ndarray of int32 with the shape of the image, or pyopencl array if the image is one
        Of int64 if the image has 2**31 pixels or more.
    count : int
        Only with `return_num`: the number of components, which is the largest label.

    Raises
    ------
    ImageError
        If the array cannot be labelled, an option does not suit it, or `out` cannot hold the labels.
    AlgorithmError, DeviceError, MemoryLimitError
        As for :func:`components`.

    See Also
    --------
    label_chunks : Labels what does not fit into memory.
    regions : Sizes, boxes and centroids of components.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.label([[1, 0, 1], [1, 0, 0], [0, 1, 1]]).tolist()
    [[1, 0, 2], [1, 0, 0], [0, 3, 3]]
    >>> pj.label([[1, 0, 1], [1, 0, 0], [0, 1, 1]], connectivity=2, return_num=True)[1]
    2
    >>> pj.label([[5, 5, 7], [0, 7, 7]], multilabel=True).tolist()
    [[1, 1, 2], [0, 2, 2]]
    """
    input_session = _session_of(image)

    wanted = order("image-labelling", algorithm, device, variant, input_session)
    given = image_of(image, connectivity, multilabel, background, delta, wrap_axes)
    host = HostImage(given, _as_out(out, given))
    labels, count, _ = find_labels(wanted, host)
    if out is not None and labels is not out:
        host.write_to_out(labels, count)
        labels = out
    elif input_session and isinstance(labels, np.ndarray):  # from the reference
        labels = _on_device(labels, image.queue)
    return (labels, count) if return_num else labels


def find_labels(wanted: Order, image: HostImage) -> tuple[Any, int, Run]:
    """Label an image; return the labels, how many there are, and the run."""
    labels, run = solve(wanted, image, lambda *_: image.resident.read_labels())  # type: ignore[union-attr]
    count = run.counted.get("components")
    if count is None:  # the reference does not count
        count = int(labels.max(initial=0))
        labels = image.relabelled(labels, count)
    return labels, count, run


def label_image(
    image: Image, device: Any = None, out: Labels | None = None, relabel: Relabel | None = None
) -> tuple[Labels, int]:
    """Return the labels of an image that has been checked, and the number of components.

    Parameters
    ----------
    image : Image
        Its pixels are in a NumPy array.
    device : optional
        As for :func:`label`.
    out : ndarray, optional
        Where to write the labels. What it cannot hold is cut off.
    relabel : callable, optional
        Is given labels and the number of components. Returns a new array of what is written in their place:
        integers from 1 to 2**31 - 1, and 0 for 0. On a device, it is given the label of each run, never 0.
    """
    wanted = order("image-labelling", "auto", device, {})
    labels, count, _ = find_labels(wanted, HostImage(image, out, relabel))
    if out is not None and labels is not out:
        np.copyto(out, labels, casting="unsafe")
        labels = out
    return labels, count


class HostImage:
    """An image for one run, on the host or in a pyopencl array.

    Parameters
    ----------
    image : Image
    out : ndarray or pyopencl array, optional
        Where the labels are wanted. They are written there at once, or to another array first.
    relabel : callable, optional
        What to write in place of labels, as for :func:`label_image`.
    """

    def __init__(self, image: Image, out: Any, relabel: Relabel | None = None) -> None:
        self.image, self._out, self._relabel = image, out, relabel
        self.resident: ResidentImage | None = None

    def facts(self) -> InputFacts:
        """Return the facts that selection uses."""
        return InputFacts(self.image.size, form="image")

    def for_reference(self, seconds: Seconds) -> tuple[Image]:
        """Return the image, with its pixels on the host."""
        return (replace(self.image, pixels=on_host(self.image.pixels)),)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentImage:
        """Put the image on the device, if it is not there yet, and make room for its labels."""
        with seconds.timed("transfer"), session.running():
            self.resident = ResidentImage(self.image, session, self._out, self._relabel)
        return self.resident

    def planned(self, choice: Choice, resident: ResidentImage) -> Plan:
        """Return the plan for a choice."""
        plan: Plan = choice.algorithm.prepare(resident, **choice.variant)
        return plan

    def relabelled(self, labels: Labels, count: int) -> Labels:
        """Return what is wanted in place of the reference's labels."""
        return labels if self._relabel is None else self._relabel(labels, count)

    def write_to_out(self, labels: Any, count: int) -> None:
        """Copy labels to where they are wanted; raise an ImageError if they do not fit there."""
        out = self._out
        if count > largest_of(out.dtype):
            raise ImageError(
                f"out has dtype {out.dtype}, and there are {count:,} components: give an array of "
                f"{np.dtype(self.image.label_dtype)}, or leave out out"
            )
        if isinstance(out, np.ndarray):
            np.copyto(out, labels, casting="unsafe")
        else:
            write_on_device(out.with_queue(self.image.pixels.queue), labels)


def _session_of(image: Any) -> Session | None:
    """Return the session of a pyopencl array, or None for other objects."""
    require_queue(image, "the image")
    return session_for(image.queue) if is_on_device(image) else None


def _on_device(labels: Labels, queue: Any) -> Any:
    import pyopencl.array as cl_array

    return cl_array.to_device(queue, labels)


def _as_out(out: Any, image: Image) -> Any:
    """Return the array in which labels are wanted, checked.

    Raises
    ------
    ImageError
        If it has another shape, or holds no integers, or cannot be written, or is not where the image is.
    """
    if out is None:
        return None
    on_device = is_on_device(out)
    if on_device != is_on_device(image.pixels) or not (on_device or isinstance(out, np.ndarray)):
        kind = "pyopencl" if is_on_device(image.pixels) else "NumPy"
        raise ImageError(f"out is of type {type(out).__name__}: give a {kind} array, as the image is one")
    if tuple(out.shape) != image.shape:
        raise ImageError(f"out has shape {tuple(out.shape)}, and the image {image.shape}: they must be equal")
    if out.dtype.kind not in "iu":
        raise ImageError(f"out has dtype {out.dtype}: give an array of {np.dtype(image.label_dtype)}")
    if isinstance(out, np.ndarray) and not out.flags.writeable:
        raise ImageError("out is read-only: give an array that can be written")
    if on_device and out.context != image.pixels.context:
        raise ImageError("out and the image are in different contexts: give arrays of the same one")
    return out
