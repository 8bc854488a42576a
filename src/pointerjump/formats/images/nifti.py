"""NIfTI-1 and NIfTI-2, read and written by nibabel."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY
from pointerjump.formats.images.channels import Channel, require_none
from pointerjump.formats.images.readers import ImageFile, damage_named, remarks_told
from pointerjump.formats.sources import Source

_LONGEST_AXIS = np.iinfo(np.int16).max
"""How long an axis may be in NIfTI-1."""

_HEADER_BYTES = 540
"""What the longer of the two headers takes."""


def read(source: Source, channel: Channel | None) -> ImageFile:
    """Read an image; a plain file whose values are not scaled is mapped into memory."""
    require_none(channel)
    with remarks_told(source.path, "nibabel.global"), damage_named("a NIfTI"), source.open() as file:
        image = _kind_of(source.beginning).from_stream(file)
        stored = image.dataobj
        scaled = (stored.slope, stored.inter) != (1, 0)
        if source.compressed or scaled:
            itemsize = 8 if scaled else stored.dtype.itemsize
            size = itemsize * int(np.prod(image.shape, dtype=object))
            memory.require(size, f"its pixels of shape {image.shape}", MORE_MEMORY)
        return ImageFile(np.asanyarray(stored), nifti=(type(image), image.affine, image.header))


def _kind_of(beginning: bytes) -> Any:
    """Return the class of images that a file with this beginning holds."""
    from nibabel import Nifti1Image, Nifti2Image

    for kind in (Nifti1Image, Nifti2Image):
        if kind.header_class.may_contain_header(beginning[:_HEADER_BYTES]):
            return kind
    raise FormatError("has no header of a NIfTI")


def write(labels: npt.NDArray[Any], file: BinaryIO, like: ImageFile) -> None:
    """Write labels, with the affine and the header of the image that they are of, if it was a NIfTI."""
    from nibabel import Nifti1Image, Nifti2Image

    kind, affine, header = like.nifti or (Nifti1Image, None, None)
    if max(labels.shape) > _LONGEST_AXIS:
        kind = Nifti2Image
    image = kind(labels, affine, header, dtype=labels.dtype)
    image.header["cal_min"] = image.header["cal_max"] = 0  # which of the image's values are to be shown
    image.to_stream(file)
