"""Find small textured windows in both images, to see how far content moved."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.reference.colors import Bytes, Ints

Fingerprints = npt.NDArray[np.uint8]
PackedPixels = npt.NDArray[np.uint64]

FINGERPRINT_FACTOR: Final = np.uint32(0x9E3779B1)
ROW_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
KEY_FACTOR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
HALF: Final = np.uint64(32)
# The side of a window, and the position of its corner, which must be one in the image, too.
WINDOW: Final = 8
CENTER: Final = 3
# Keeps temporary arrays small.
PIXELS_AT_ONCE: Final = 1 << 18
# Of more anchors, only a sample is searched: the same one in both images.
MOST_ANCHORS: Final = 1 << 14
# Of windows repeated more often, only the nearest is likely to be the same.
FEW_REPEATED: Final = 4
# Windows repeated more often say little about the distance of a move.
MOST_REPEATED: Final = 32


@dataclass(frozen=True, slots=True)
class Votes:
    """Windows of the later image, by their corner, and how far each moved."""

    ys: Ints
    xs: Ints
    dys: Ints
    dxs: Ints

    def __len__(self) -> int:
        return len(self.ys)

    def where(self, chosen: npt.NDArray[np.bool_]) -> "Votes":
        return Votes(self.ys[chosen], self.xs[chosen], self.dys[chosen], self.dxs[chosen])


def fingerprint(image: Bytes) -> Fingerprints:
    """Return a byte for each pixel; equal colors have equal ones, and others mostly have not."""
    packed = np.ascontiguousarray(image).view(np.uint32)[:, :, 0]
    return (packed * FINGERPRINT_FACTOR >> np.uint32(24)).astype(np.uint8)


def find_votes(before: Fingerprints, after: Fingerprints, mask: npt.NDArray[np.uint8]) -> Votes:
    """Return a vote for each window of the later image found elsewhere in the earlier one.

    Only windows around a different pixel count.
    """
    found = [_find_corners(image, mask) for image in (before, after)]
    corners, level = [each for each, _ in found], max(level for _, level in found)
    (old_ys, old_xs, old_keys), (ys, xs, keys) = (
        _select(image, found, level) for image, found in zip((before, after), corners, strict=True)
    )
    return _match((old_ys, old_xs, old_keys), (ys, xs, keys))


Corners = tuple[Ints, Ints, PackedPixels]


def _find_corners(image: Fingerprints, mask: npt.NDArray[np.uint8]) -> tuple[Corners, int]:
    """Return windows around a different pixel unlike the windows to the left and above.

    The selection of each window has at least as many zeros at the end as the returned level.
    """
    found = np.zeros((3, 0), np.uint64)
    height, width = image.shape
    if height < WINDOW or width < WINDOW:
        return _as_corners(found), 0
    level, step = 0, max(1, PIXELS_AT_ONCE // width)
    for top in range(0, height - WINDOW + 1, step):
        band = _find_corners_of(image, mask, top, min(top + step, height - WINDOW + 1))
        found = np.concatenate([found, band[:, _is_selected(band[2], level)]], axis=1)
        while found.shape[1] > MOST_ANCHORS:
            level += 1
            found = found[:, _is_selected(found[2], level)]
    return _as_corners(found), level


def _find_corners_of(
    image: Fingerprints, mask: npt.NDArray[np.uint8], top: int, bottom: int
) -> PackedPixels:
    columns = slice(CENTER, image.shape[1] - WINDOW + CENTER + 1)
    left = slice(columns.start - 1, columns.stop - 1)
    rows, above = slice(top + CENTER, bottom + CENTER), slice(top + CENTER - 1, bottom + CENTER - 1)
    center = image[rows, columns]
    is_corner = (center != image[rows, left]) & (center != image[above, columns])
    ys, xs = (is_corner & (mask[rows, columns] != 0)).nonzero()
    ys += top
    selection = _read_row(image, ys + CENTER, xs) * ROW_FACTOR >> np.uint64(40)
    return np.stack([ys.astype(np.uint64), xs.astype(np.uint64), selection])


def _as_corners(found: PackedPixels) -> Corners:
    return found[0].astype(np.int64), found[1].astype(np.int64), found[2]


def _is_selected(selection: PackedPixels, level: int) -> npt.NDArray[np.bool_]:
    selected: npt.NDArray[np.bool_] = selection & np.uint64((1 << level) - 1) == 0
    return selected


def _read_row(image: Fingerprints, ys: Ints, xs: Ints) -> PackedPixels:
    """Return eight bytes from each position on, the first one lowest."""
    word = np.zeros(len(ys), np.uint64)
    for at in range(WINDOW):
        word |= image[ys, xs + at].astype(np.uint64) << np.uint64(8 * at)
    return word


def _select(image: Fingerprints, corners: Corners, level: int) -> Corners:
    ys, xs, selection = corners
    chosen = _is_selected(selection, level)
    ys, xs = ys[chosen], xs[chosen]
    keys = np.zeros(len(ys), np.uint64)
    for row in range(WINDOW):
        keys = (keys ^ _read_row(image, ys + row, xs)) * KEY_FACTOR
        keys ^= keys >> HALF
    return ys, xs, keys


def _match(before: Corners, after: Corners) -> Votes:
    """Pair windows with the same key: all of a few, the nearest of many, none of too many."""
    old_groups, groups = _group(before[2]), _group(after[2])
    pairs = [np.zeros((2, 0), np.int64)]
    for key in old_groups.keys() & groups.keys():
        old, new = old_groups[key], groups[key]
        if max(len(old), len(new)) > MOST_REPEATED:
            continue
        olds = np.broadcast_to(old, (len(new), len(old)))
        if len(old) > FEW_REPEATED:
            away = sum(np.abs(after[at][new][:, None] - before[at][old]) for at in (0, 1))
            olds = old[np.argmin(away, axis=1)][:, None]
        pairs.append(np.stack([np.repeat(new, olds.shape[1]), olds.ravel()]))
    new, old = np.concatenate(pairs, axis=1)
    ys, xs = after[0][new], after[1][new]
    votes = Votes(ys, xs, ys - before[0][old], xs - before[1][old])
    return votes.where((votes.dys != 0) | (votes.dxs != 0))


def _group(keys: PackedPixels) -> dict[int, Ints]:
    """Return the indices of each key in order."""
    order = np.argsort(keys, kind="stable")
    found, starts = np.unique(keys[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True)) if keys.size else {}
