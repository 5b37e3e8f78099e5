"""The platform tags of wheels with the native engine."""

import struct

import pytest
from scripts.native_library import Target
from scripts.wheel_tags import UnknownPlatformError, needed_glibc, platform_tag, wheel_tag


def library(*versions: str) -> bytes:
    """The bytes of a library around the names of the versions that it calls."""
    return b"\x7fELF\0malloc\0" + b"".join(f"GLIBC_{v}\0".encode() for v in versions) + b"\x01"


@pytest.mark.parametrize(
    ("target", "tag"),
    [
        ("x86_64-unknown-linux-gnu", "manylinux_2_17_x86_64"),
        ("aarch64-unknown-linux-gnu.2.17", "manylinux_2_17_aarch64"),
        ("armv7-unknown-linux-gnueabihf", "manylinux_2_17_armv7l"),
        ("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64"),
        ("aarch64-unknown-linux-musl", "musllinux_1_2_aarch64"),
        ("x86_64-pc-windows-msvc", "win_amd64"),
        ("x86_64-pc-windows-gnu", "win_amd64"),
        ("aarch64-pc-windows-gnullvm", "win_arm64"),
    ],
)
def test_each_platform_has_its_tag(target: str, tag: str) -> None:
    assert platform_tag(Target.parse(target), library("2.2.5", "2.14")) == tag


def test_a_linux_wheel_needs_the_newest_glibc_that_its_library_calls() -> None:
    assert needed_glibc(library("2.2.5", "2.34", "2.9")) == (2, 34)
    target = Target("x86_64-unknown-linux-gnu")
    assert wheel_tag(target, library("2.34")) == "py3-none-manylinux_2_34_x86_64"


def macos_library(command: int, *fields: int) -> bytes:
    """A header with two commands, the second of which names the oldest macOS."""
    commands = struct.pack("<4I", 0x19, 16, 0, 0)
    commands += struct.pack(f"<{2 + len(fields)}I", command, 8 + 4 * len(fields), *fields)
    return struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 2, len(commands), 0, 0) + commands


@pytest.mark.parametrize(
    ("triple", "library", "tag"),
    [
        ("aarch64-apple-darwin", macos_library(0x32, 1, 11 << 16, 0, 0), "macosx_11_0_arm64"),
        ("x86_64-apple-darwin", macos_library(0x24, 10 << 16 | 12 << 8, 0), "macosx_10_12_x86_64"),
        ("aarch64-apple-darwin", macos_library(0x32, 1, 15 << 16, 0, 0), "macosx_15_0_arm64"),
    ],
)
def test_a_macos_wheel_is_for_the_version_that_its_library_names(
    triple: str, library: bytes, tag: str
) -> None:
    assert platform_tag(Target(triple), library) == tag


def test_text_about_glibc_is_not_a_version_that_is_called() -> None:
    assert needed_glibc(b"\0needs GLIBC_2.99\0GLIBC_2.98 or so\0XGLIBC_2.97\0") == (2, 17)


def test_a_platform_without_a_name_for_wheels_is_refused() -> None:
    with pytest.raises(UnknownPlatformError, match="x86_64-unknown-freebsd"):
        platform_tag(Target("x86_64-unknown-freebsd"), b"")
