"""Images of one color are found in every form written by browsers, and no others."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from io import BytesIO

from PIL import Image

from tests.support.case import Case
from visual_review.client.capture.notes import SIGNATURE, is_one_color

WIDTH, HEIGHT = 37, 23
RGB, RGBA, GRAY = 2, 6, 0


def make_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    return min((left, up, corner), key=lambda each: abs(estimate - each))


def filter_row(kind: int, row: Sequence[int], above: Sequence[int], size: int) -> bytes:
    filtered = bytearray([kind])
    for index, value in enumerate(row):
        left = row[index - size] if index >= size else 0
        corner = above[index - size] if index >= size else 0
        up = above[index]
        guess = (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]
        filtered.append((value - guess) % 256)
    return bytes(filtered)


def make_png(
    rows: Iterable[bytes], color_type: int, filters: Sequence[int], parts: int = 1
) -> bytes:
    size = {GRAY: 1, RGB: 3, RGBA: 4}[color_type]
    above = bytes(WIDTH * size)
    raw = b""
    for number, row in enumerate(rows):
        raw += filter_row(filters[number % len(filters)], row, above, size)
        above = row
    data = zlib.compress(raw)
    step = len(data) // parts + 1
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, color_type, 0, 0, 0)
    pieces = [data[start : start + step] for start in range(0, len(data), step)]
    body = b"".join(make_chunk(b"IDAT", piece) for piece in pieces)
    return SIGNATURE + make_chunk(b"IHDR", header) + body + make_chunk(b"IEND", b"")


COLORS = {GRAY: b"\xf0", RGB: b"\xff\x07\x80", RGBA: b"\x01\xfe\x33\xff"}
FILTERS = ([0], [1], [2], [3], [4], [0, 1, 2, 3, 4], [3, 4], [2, 3])


def test_one_color_is_recognized_behind_every_filter(case: Case) -> None:
    for color_type, color in COLORS.items():
        for filters in FILTERS:
            with case(f"{color_type} {filters}"):
                rows = [color * WIDTH] * HEIGHT
                assert is_one_color(make_png(rows, color_type, filters, parts=3))


def test_one_other_pixel_anywhere_is_seen(case: Case) -> None:
    for color_type, color in COLORS.items():
        for filters in FILTERS:
            for x, y in ((0, 0), (WIDTH - 1, HEIGHT - 1), (0, HEIGHT - 1), (20, 10)):
                with case(f"{color_type} {filters} {x} {y}"):
                    rows = [bytearray(color * WIDTH) for _ in range(HEIGHT)]
                    rows[y][x * len(color)] ^= 1
                    assert not is_one_color(make_png(map(bytes, rows), color_type, filters))


def test_pngs_of_other_programs_are_read_or_left_alone() -> None:
    def save(mode: str, color: str) -> bytes:
        file = BytesIO()
        Image.new(mode, (1440, 900), color).save(file, "PNG")
        return file.getvalue()

    assert is_one_color(save("RGB", "white"))
    assert not is_one_color(save("P", "white"))


def test_broken_files_have_no_color(case: Case) -> None:
    whole = make_png([COLORS[RGB] * WIDTH] * HEIGHT, RGB, [2])
    position = whole.index(b"IDAT") + 6
    damaged = whole[:position] + b"\x00\xff\x00" + whole[position + 3 :]
    broken = (b"", b"png", whole[:20], whole[:60], damaged, whole[: whole.index(b"IDAT") - 4])
    for data in broken:
        with case(f"{len(data)}"):
            assert not is_one_color(data)
