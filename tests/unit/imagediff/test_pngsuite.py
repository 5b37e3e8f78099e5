"""Every valid file of PngSuite, compared with two other decoders."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support.case import Case
from tests.support.imagediff.pixels import decode
from tests.support.imagediff.shared_data import shared
from visual_review.imagediff import hash_pixels, probe

pytestmark = pytest.mark.usefixtures("each_engine")

EXPECTED: dict[str, str] = json.loads(
    (Path(__file__).parent / "oracle" / "pngsuite.json").read_text()
)


def test_a_file_of_the_suite_has_the_pixels_that_pngjs_reads(case: Case) -> None:
    folder = shared("pngsuite", "suite")
    for name, digest in EXPECTED.items():
        with case(name):
            data = (folder / name).read_bytes()
            verified = hash_pixels(data)
            info = probe(data)
            assert verified.pixels_sha256 == digest
            assert (verified.width, verified.height) == (info.width, info.height)


def test_the_list_contains_the_whole_suite() -> None:
    names = {path.name for path in shared("pngsuite", "suite").glob("*.png")}
    assert names == set(EXPECTED)
    assert len(names) == 161


def test_files_of_up_to_eight_bits_have_the_pixels_that_pillow_reads() -> None:
    compared = 0
    for path in sorted(shared("pngsuite", "suite").glob("*.png")):
        data = path.read_bytes()
        info = probe(data)
        image = Image.open(io.BytesIO(data))
        # Pillow truncates 16-bit samples, and takes the transparent gray of fewer than 8 bits
        # for one of 8 bits.
        narrow = info.bit_depth < 8 and info.color_type == 0 and "transparency" in image.info
        if info.bit_depth == 16 or narrow:
            continue
        ours = decode(data)
        theirs = np.asarray(image.convert("RGBA"))
        seen = ours[:, :, 3] > 0
        assert (ours[:, :, 3] == theirs[:, :, 3]).all(), path.name
        assert (ours[seen] == theirs[seen]).all(), path.name
        compared += 1
    assert compared > 100
