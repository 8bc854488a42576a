"""Labels images in memory: :func:`label`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pointerjump.accel.device_arrays import in_kind, on_host, require_queue, write_on_device
from pointerjump.accel.residents.images import ResidentImage
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.images import Image, Relabel, image_of, is_on_device, require_like
from pointerjump.base.integers import largest_of
from pointerjump.errors import ImageError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.run import Instance, Order, Run, Seconds, order, solve


@in_kind
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

    The elements of the array are called pixels, even in volumes. A component is a set of foreground pixels
    that are connected by chains of neighbors. Components are numbered from 1, in the scan order (C order) of
    their first pixels, as in :func:`scipy.ndimage.label`.

    Parameters
    ----------
    image : array_like or pyopencl array
        An image of 1 to 4 dimensions, with bools, integers or floating-point numbers of at most 64 bits. It
        may have any strides, and is not copied if the device shares the host's memory.
    connectivity : int
        The number of axes along which neighbors may differ, from 1 (neighbors share a face) to the number of
        dimensions. Alternatively, the number of neighbors of a pixel: 4 or 8 in images, and 6, 18 or 26 in
        volumes.
    multilabel : bool
        Whether neighbors belong together only if their values are equal. If true, the image must contain
        integers or bools.
    background : int, float or None
        The value of background pixels, which are labelled 0. All other pixels are foreground, even NaN. If
        None, there is no background.
    delta : int or float, optional
        If given, neighbors belong together if their values differ by at most `delta`, regardless of
        `multilabel`. Floating-point numbers of up to 32 bits are subtracted in 32-bit arithmetic. NaN differs
        from every value.
    wrap_axes : int or iterable of int
        Periodic axes, along which the last pixels are neighbors of the first ones. Pass the same axes to
        :func:`regions` and :func:`contacts`.
    out : ndarray or pyopencl array, optional
        The array to write the labels to, with the shape of the image and any integer dtype that can hold the
        labels.
    return_num : bool
        Whether to return the number of components as well.
    algorithm, **variant
        As for :func:`components`, but with the algorithms for image labelling.
    device : optional
        As for :func:`components`. A pyopencl array is labelled on its own device.

    Returns
    -------
    labels : ndarray of int32 with the shape of the image, or pyopencl array if the image is one
        The labels. Their dtype is int64 if the image has 2**31 pixels or more.
    count : int
        The number of components, which is the largest label. Only returned if `return_num` is true.

    Raises
    ------
    ImageError
        If the image cannot be labelled, if an option does not match it, or if `out` cannot hold the labels.
    AlgorithmError, DeviceError, MemoryLimitError
        As for :func:`components`.

    See Also
    --------
    label_chunks : Labels images larger than memory.
    regions : Measures the sizes, boxes and centroids of components.

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
    require_queue(image, "the image")
    session = session_for(image.queue) if is_on_device(image) else None
    wanted = order("image-labelling", algorithm, device, variant, session)
    given = image_of(image, connectivity, multilabel, background, delta, wrap_axes)
    if out is not None:
        require_like(out, given.pixels, given.label_dtype)
    labels, count, _ = find_labels(wanted, HostImage(given, out))
    return (labels, count) if return_num else labels


def find_labels(wanted: Order, image: HostImage) -> tuple[Any, int, Run]:
    labels, run = solve(wanted, image, lambda session, plan: plan.answer(session, image.image.size))
    count = run.counted.get("components")
    if count is None:  # the reference does not count
        count = int(labels.max(initial=0))
        labels = labels if image.relabel is None else image.relabel(labels, count)
    if (out := image.out) is not None:
        if labels is not out and count > largest_of(out.dtype):
            raise ImageError(
                f"out has dtype {out.dtype}, and there are {count:,} components: give an array of "
                f"{np.dtype(image.image.label_dtype)}, or leave out out"
            )
        if labels is not out and isinstance(out, np.ndarray):
            np.copyto(out, labels, casting="unsafe")
        elif labels is not out:
            write_on_device(out.with_queue(image.image.pixels.queue), labels)
        return out, count, run
    return where_given(image.image.pixels, labels), count, run


def where_given(given: Any, found: Any) -> Any:
    """Return `found`, copied to the device of `given` if `given` is on a device."""
    if not is_on_device(given) or is_on_device(found):
        return found
    import pyopencl.array as cl_array

    return cl_array.to_device(given.queue, found)


@dataclass(eq=False)
class HostImage(Instance):
    """An image to be labelled, on the host or in a pyopencl array, and the array for its labels.

    If `relabel` is given, it is called with the labels and the number of components. It returns a new array
    to write instead of the labels, with integers from 1 to 2**31 - 1, and 0 where the label is 0. On a
    device, `relabel` is passed the label of each run of foreground pixels, which is never 0.
    """

    image: Image
    out: Any = None
    relabel: Relabel | None = None

    def facts(self) -> InputFacts:
        return InputFacts(self.image.size, form="image")

    def for_reference(self, seconds: Seconds) -> tuple[Image]:
        return (replace(self.image, pixels=on_host(self.image.pixels)),)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentImage:
        with seconds.timed("transfer"), session.running():
            return ResidentImage(self.image, session, self.out, self.relabel)
