"""One case: damaged input for both engines, or for the inflate library, made from two numbers."""

import json
import random
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.support.imagediff.fuzz import byte_damage, chunk_damage, stream_damage
from tests.support.imagediff.fuzz.corpus import Corpus
from tests.support.imagediff.fuzz.parts import Parts
from visual_review.imagediff import Options, Region
from visual_review.imagediff.model import DEFAULT_OPTIONS

Kind = Literal["file", "pair", "stream"]
KINDS: tuple[Kind, ...] = ("file", "pair", "stream")
WEIGHTS = (6, 3, 1)
# A whole screenshot takes a hundred times as long as a part of one.
SCREENSHOT_SHARE = 0.003
THRESHOLDS = (0.0, 0.01, 0.1, 0.1, 0.3, 1.0)


@dataclass(frozen=True)
class FuzzCase:
    """The input: a file (``after`` is empty), a pair, or a zlib stream of ``size`` bytes."""

    kind: Kind
    before: bytes
    after: bytes = b""
    options: Options = DEFAULT_OPTIONS
    size: int = 0

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "before").write_bytes(self.before)
        (folder / "after").write_bytes(self.after)
        regions = [[each.x, each.y, each.width, each.height] for each in self.options.regions]
        described = {
            "kind": self.kind,
            "size": self.size,
            "threshold": self.options.threshold,
            "include_anti_aliased": self.options.include_anti_aliased,
            "regions": regions,
        }
        (folder / "case.json").write_text(json.dumps(described, indent=2))

    @classmethod
    def load(cls, folder: Path) -> "FuzzCase":
        described = json.loads((folder / "case.json").read_text())
        regions = tuple(Region(*region) for region in described["regions"])
        options = Options(described["threshold"], described["include_anti_aliased"], regions)
        files = ((folder / name).read_bytes() for name in ("before", "after"))
        return cls(described["kind"], *files, options, described["size"])


def make_case(corpus: Corpus, seed: int, number: int) -> FuzzCase:
    """Return the case of a number in the run of a seed."""
    rng = random.Random(f"{seed} {number}")
    files = corpus.small
    if corpus.screenshots and rng.random() < SCREENSHOT_SHARE:
        files = corpus.screenshots
    origin = rng.choice(files)
    kind = rng.choices(KINDS, WEIGHTS)[0]
    if kind == "file":
        return FuzzCase(kind, damage(rng, origin))
    if kind == "pair":
        return _make_pair(rng, origin, rng.choice(files))
    stream = Parts.of(origin).stream
    size = len(stream_damage.inflate_some(stream))
    if rng.random() < 0.1:
        size = max(1, size + rng.randint(-2, 2))
    return FuzzCase(kind, stream_damage.damage_deflate(rng, stream), size=size)


def _make_pair(rng: random.Random, origin: bytes, other: bytes) -> FuzzCase:
    parts = Parts.of(origin)
    sides = [
        # Most pairs are comparable: the same image with other rows, or unchanged.
        lambda: stream_damage.damage_rows(rng, parts).encode(),
        lambda: stream_damage.damage_rows(rng, parts).encode(),
        lambda: origin,
        lambda: other,
        lambda: damage(rng, origin),
        lambda: damage(rng, other),
    ]
    regions = tuple(
        Region(*(rng.random() for _ in range(4))) for _ in range(rng.choice((0, 0, 1, 3)))
    )
    options = Options(rng.choice(THRESHOLDS), rng.random() < 0.5, regions)
    return FuzzCase("pair", rng.choice(sides)(), rng.choice(sides)(), options)


def damage(rng: random.Random, data: bytes) -> bytes:
    """Damage a valid file once or a few times: parts first, then bytes."""
    parts = Parts.of(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        # Damage cannot empty most chunks, and an empty file is soon refused.
        if not parts.chunks:
            break
        kinds = chunk_damage.KINDS if rng.random() < 0.5 else stream_damage.KINDS
        try:
            parts = rng.choice(kinds)(rng, parts)
        except (struct.error, ValueError):
            continue
    encoded = parts.encode()
    return byte_damage.damage(rng, encoded) if rng.random() < 0.2 else encoded
