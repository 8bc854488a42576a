"""Contacts between regions of a labelled image: which labels touch, and over how many faces.

Two pixels share a face if their positions differ by 1 along one axis only. Two labels touch if a pixel of one
shares a face with a pixel of the other. Contacts with label 0, the background, are ignored.

Input: nonnegative labels, in an array with any number of dimensions. The result is deterministic. Work
O(p d + c log c) for p pixels, d dimensions and c contacts.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt


def find_contacts(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the pairs of labels that touch, in ascending order, and the number of faces each pair shares.

    Examples
    --------
    >>> pairs, faces = find_contacts(np.array([[1, 1, 0], [3, 2, 2]]))
    >>> pairs.tolist(), faces.tolist()
    ([[1, 2], [1, 3], [2, 3]], [1, 1, 1])
    """
    faces: Counter[tuple[int, int]] = Counter()
    for pixel, label in np.ndenumerate(labels):
        for axis in range(labels.ndim):
            after = (*pixel[:axis], pixel[axis] + 1, *pixel[axis + 1 :])
            if after[axis] == labels.shape[axis]:
                continue
            pair = sorted((int(label), int(labels[after])))
            if pair[0] != pair[1] and pair[0] != 0:
                faces[pair[0], pair[1]] += 1
    pairs = sorted(faces)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array([faces[pair] for pair in pairs], np.int64)
