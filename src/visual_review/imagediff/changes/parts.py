"""Split changes into parts, possibly shared by other screenshots."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from visual_review.imagediff.changes.boxes import enclose, is_inside, overlap
from visual_review.imagediff.changes.kinds import name_color
from visual_review.imagediff.changes.model import Change, Displacement, Offset, Part, Signature
from visual_review.imagediff.changes.similarity import TEXT_HEIGHT, TEXT_WIDTH, pack_sketches
from visual_review.imagediff.changes.structures import describe_structure
from visual_review.imagediff.changes.wording import SCROLLBAR
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import SIDES, Alignment, Marks, Piece

# A page with more parts hardly shares one with other pages: the smaller ones become one part.
MOST_PARTS: Final = 200
# With more parts, a change has more shapes than a structure describes.
MOST_SHAPED: Final = 100
# Larger parts are compared exactly: sketches are for small changes.
MOST_SKETCHED, MOST_PIXELS = 40, 24_000


def make_signature(
    marks: Marks, alignment: Alignment, changes: Sequence[Change], scrollbar: Box | None
) -> Signature:
    """Return the features of the changes for finding similar ones; ``changes`` describe parts."""
    pieces = marks.pair.find_pieces(alignment)

    def describe(box: Box) -> str:
        return SCROLLBAR if is_inside(box, scrollbar) else _describe(box, changes)

    is_complex = pieces is None or len(pieces) > MOST_SHAPED
    return Signature(
        parts=None if pieces is None else tuple(_make_parts(marks, alignment, pieces, describe)),
        moves=_list_moves(alignment),
        structure="" if is_complex else describe_structure(marks),
    )


def _list_moves(alignment: Alignment) -> tuple[Displacement, ...]:
    targets: dict[tuple[int, int], list[Box]] = {}
    for move in alignment.moves:
        targets.setdefault((move.dx, move.dy), []).append(move.target)
    return tuple(Displacement(Offset(*by), enclose(boxes)) for by, boxes in sorted(targets.items()))


def _make_parts(
    marks: Marks, alignment: Alignment, pieces: Sequence[Piece], describe: Callable[[Box], str]
) -> list[Part]:
    """Return a part for each distinct content, the largest first."""
    distinct = {piece.digest: piece for piece in reversed(pieces)}
    ordered = sorted(distinct.values(), key=lambda piece: (-piece.pixels, piece.digest))
    kept, rest = ordered[:MOST_PARTS], ordered[MOST_PARTS:]
    sketches = _draw_sketches(marks, alignment, kept)
    parts = [
        Part(
            digest=piece.digest,
            box=piece.box,
            what=describe(piece.box),
            recolored=_name_colors(piece),
            sketch=sketches.get(piece.digest, ""),
        )
        for piece in kept
    ]
    if rest:
        whole = hashlib.blake2b(" ".join(piece.digest for piece in rest).encode(), digest_size=16)
        parts.append(Part(whole.hexdigest(), rest[0].box, "more pixels differ"))
    return parts


def _name_colors(piece: Piece) -> tuple[str, str] | None:
    if piece.recolored is None:
        return None
    before, after = piece.recolored
    return name_color(before), name_color(after)


def _describe(box: Box, changes: Iterable[Change]) -> str:
    """Return the description of the change with most of a part."""
    shares = ((overlap(box, each.box), each) for each in changes if each.kind != "moved")
    share, found = max(shares, key=lambda each: each[0], default=(0, None))
    return found.description if found is not None and share else "pixels differ"


def _draw_sketches(marks: Marks, alignment: Alignment, pieces: Sequence[Piece]) -> dict[str, str]:
    """Return sketches by digest, of few, small and opaque parts."""
    # In anything larger than text, tolerance would hide too much.
    small = [
        piece
        for piece in pieces
        if piece.box.width <= TEXT_WIDTH and piece.box.height <= TEXT_HEIGHT
    ]
    area = sum(piece.box.width * piece.box.height for piece in small)
    # Where content moved, the former content of the same place is unrelated.
    if alignment.moves or len(small) > MOST_SKETCHED or area > MOST_PIXELS:
        return {}
    width, height = (min(sides) for sides in zip(marks.before, marks.after, strict=True))
    found = {}
    for piece in small:
        box = piece.box
        if box.x + box.width > width or box.y + box.height > height:
            continue
        before, after = (marks.pair.sketch(side, box) for side in SIDES)
        if before is not None and after is not None:
            found[piece.digest] = pack_sketches(before, after)
    return found


def signature_to_json(signature: Signature) -> dict[str, Any]:
    """Return an object for storing with a comparison, without empty properties."""
    entry: dict[str, Any] = {}
    if signature.parts is not None:
        entry["parts"] = [_part_to_json(part) for part in signature.parts]
    if signature.moves:
        entry["moves"] = [
            [each.offset.x, each.offset.y, _box_to_json(each.box)] for each in signature.moves
        ]
    if signature.structure:
        entry["structure"] = signature.structure
    return entry


def _part_to_json(part: Part) -> list[Any]:
    return [part.digest, _box_to_json(part.box), part.what, part.recolored, part.sketch]


def _box_to_json(box: Box) -> list[int]:
    return [box.x, box.y, box.width, box.height]


def signature_from_json(entry: dict[str, Any]) -> Signature:
    """Return the result of ``signature_to_json``; earlier versions' results have no parts."""
    parts = entry.get("parts")
    return Signature(
        parts=None if parts is None else tuple(_part_from_json(part) for part in parts),
        moves=tuple(Displacement(Offset(x, y), Box(*box)) for x, y, box in entry.get("moves", ())),
        structure=entry.get("structure", ""),
    )


def _part_from_json(part: list[Any]) -> Part:
    digest, box, what, recolored, sketch = part
    return Part(digest, Box(*box), what, tuple(recolored) if recolored else None, sketch)
