"""Damaged images have the same verdict from both engines: some of the cases of ``make fuzz``."""

import zlib
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.depth import rounds, seed
from tests.support.imagediff.engines import require_native_engine
from tests.support.imagediff.fuzz.corpus import Corpus, load_corpus
from tests.support.imagediff.fuzz.damaged_input import FuzzCase, make_case
from tests.support.imagediff.fuzz.verdicts import check_case
from tests.support.imagediff.png_writer import chunk, header, raw_png
from visual_review.imagediff import BrokenImageError, ImageError
from visual_review.imagediff.engine import numpy_engine
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS
from visual_review.imagediff.native.inflating import UnusualFileError, inflate_exactly


class BitWriter:
    """Collects bits; bytes are filled from their lowest bit."""

    def __init__(self) -> None:
        self._bits: list[int] = []

    def write(self, value: int, count: int) -> None:
        """Write a number, lowest bit first."""
        self._bits += [value >> at & 1 for at in range(count)]

    def write_code(self, code: int, count: int) -> None:
        """Write a Huffman code, highest bit first."""
        self._bits += [code >> at & 1 for at in reversed(range(count))]

    def finish(self) -> bytes:
        bits = self._bits + [0] * (-len(self._bits) % 8)
        octets = (bits[at : at + 8] for at in range(0, len(bits), 8))
        return bytes(sum(bit << at for at, bit in enumerate(octet)) for octet in octets)


def write_fixed_symbol(bits: BitWriter, symbol: int) -> None:
    """Write a literal or length in the fixed code; 286 and 287 are reserved."""
    if symbol < 144:
        bits.write_code(0x30 + symbol, 8)
    elif symbol < 256:
        bits.write_code(0x190 + symbol - 144, 9)
    elif symbol < 280:
        bits.write_code(symbol - 256, 7)
    else:
        bits.write_code(0xC0 + symbol - 280, 8)


ROWS = zlib.compress(bytes([0, 0, 1, 0, 1, 0]))
SOUND = raw_png(header(2, 2, 8, 0), ROWS)
BAD_FILTER = raw_png(header(2, 2, 8, 0), zlib.compress(bytes([5, 0, 1, 0, 1, 0])))
BAD_INDEX = raw_png(header(2, 2, 8, 3), ROWS, chunk(b"PLTE", b"abc"))
BAD_DATA = raw_png(header(2, 2, 8, 0), ROWS[:-1] + b"?")
INTERLACED = raw_png(header(2, 2, 8, 3, 1), zlib.compress(bytes(2) + bytes([0, 9, 0, 0, 0])))
TRUNCATED = SOUND[:-3]
WIDE = raw_png(header(30_000, 1, 1, 0), zlib.compress(bytes(3751)))
TALL = raw_png(header(1, 30_000, 1, 0), zlib.compress(bytes(60_000)))
TALL_DAMAGED = raw_png(header(1, 30_000, 1, 0), zlib.compress(b"\5" * 60_000))
BROKEN = (BAD_FILTER, BAD_INDEX, BAD_DATA, INTERLACED, TRUNCATED, b"GIF89a", b"", WIDE, TALL)


@pytest.fixture(scope="module", autouse=True)
def both_engines() -> None:
    require_native_engine()


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus()


@pytest.mark.search
def test_damaged_images_have_the_same_verdict(corpus: Corpus) -> None:
    for number in range(rounds(250, 20_000)):
        check_case(make_case(corpus, seed(), number))


def test_of_two_broken_images_the_error_of_the_first_is_raised(case: Case) -> None:
    for before in (*BROKEN, SOUND):
        for after in (*BROKEN, SOUND, TALL_DAMAGED):
            with case((before[:40], after[:40])):
                check_case(FuzzCase("pair", before, after))
    with pytest.raises(BrokenImageError) as raised:
        numpy_engine().mark(BAD_INDEX, b"GIF89a", DEFAULT_OPTIONS, DEFAULT_LIMITS)
    assert raised.value.side == "before"


def test_bytes_after_the_compressed_data_are_refused_even_if_its_checksum_ends_them() -> None:
    for between in (b"", b"x", b"more data", bytes(70_000)):
        data = raw_png(header(2, 2, 8, 0), ROWS + between + ROWS[-4:])
        assert not check_case(FuzzCase("file", data))
    for between in (b"x", b"more data", bytes(70_000)):
        data = raw_png(header(2, 2, 8, 0), ROWS[:-4] + between + ROWS[-4:])
        assert not check_case(FuzzCase("file", data))


def test_codes_that_deflate_reserves_are_the_only_known_difference(case: Case) -> None:
    for symbol in (286, 287):
        bits = BitWriter()
        bits.write(0b011, 3)
        for each in (0, symbol):
            write_fixed_symbol(bits, each)
        bits.write(0, 5)
        write_fixed_symbol(bits, 256)
        stream = b"\x78\x9c" + bits.finish() + zlib.adler32(bytes(259)).to_bytes(4)
        with case(symbol):
            assert inflate_exactly(stream, 259) == bytes(259)
            with pytest.raises(zlib.error, match="invalid literal/length code"):
                zlib.decompress(stream)
            with pytest.raises(ImageError, match="invalid literal/length code"):
                numpy_engine().decode(raw_png(header(258, 1, 8, 0), stream), DEFAULT_LIMITS)


def test_a_stream_is_inflated_to_its_size_and_no_other(case: Case) -> None:
    assert inflate_exactly(ROWS, 6) == zlib.decompress(ROWS)
    for stream, size in ((ROWS, 5), (ROWS, 7), (ROWS[:-1], 6), (ROWS + b"x", 6), (b"", 6)):
        with case((stream, size)), pytest.raises(UnusualFileError):
            inflate_exactly(stream, size)


def test_a_case_that_was_saved_is_the_same_again(corpus: Corpus, tmp_path: Path) -> None:
    for number in range(20):
        made = make_case(corpus, 1, number)
        made.save(tmp_path / str(number))
        assert FuzzCase.load(tmp_path / str(number)) == made == make_case(corpus, 1, number)
