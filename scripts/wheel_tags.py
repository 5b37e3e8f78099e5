"""The platform tag of a wheel with the native comparison engine.

The library calls nothing of Python, so one wheel for a platform fits every version of Python.
"""

import re
import struct
from typing import Final

from scripts.native_library import Target

PURE_TAG: Final = "py3-none-any"
# The oldest glibc in pip's names for Linux wheels on common processors, and for Rust.
OLDEST_GLIBC: Final = (2, 17)
# The oldest version with a name in pip, apart from one of 2018.
MUSL: Final = "1_2"
WINDOWS: Final = {"x86_64": "win_amd64", "aarch64": "win_arm64", "i686": "win32"}
# The names of some processors differ between Rust and Python.
LINUX: Final = {"arm": "armv7l", "armv7": "armv7l", "i586": "i686", "powerpc64le": "ppc64le"}
MACOS: Final = {"x86_64": "x86_64", "aarch64": "arm64"}
# How a library names the required versions of glibc's functions.
GLIBC_VERSION: Final = re.compile(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)")
# Of Mach-O, the format of macOS: both commands name the oldest version, at different places.
MACHO_HEADER_BYTES: Final = 32
VERSION_COMMANDS: Final = {0x24: 8, 0x32: 12}


class UnknownPlatformError(Exception):
    """There is no name for wheels of this platform."""

    def __init__(self, target: Target) -> None:
        super().__init__(f"There is no name for wheels with a library for {target}.")


def needed_glibc(library: bytes) -> tuple[int, int]:
    """Return the newest version of glibc whose functions a library calls."""
    found = [(int(major), int(minor)) for major, minor in GLIBC_VERSION.findall(library)]
    return max([OLDEST_GLIBC, *found])


def needed_macos(library: bytes) -> tuple[int, int]:
    """Return the oldest version of macOS named in a library; (0, 0) without one."""
    count = struct.unpack_from("<I", library, 16)[0]
    position = MACHO_HEADER_BYTES
    for _ in range(count):
        command, length = struct.unpack_from("<II", library, position)
        if command in VERSION_COMMANDS:
            version = struct.unpack_from("<I", library, position + VERSION_COMMANDS[command])[0]
            return version >> 16, version >> 8 & 0xFF
        position += length
    return 0, 0


def platform_tag(target: Target, library: bytes) -> str:
    """Return the last part of a wheel's name for a library built for the target.

    Raises UnknownPlatformError.
    """
    if target.is_windows and target.machine in WINDOWS:
        return WINDOWS[target.machine]
    if target.is_macos and target.machine in MACOS:
        major, minor = needed_macos(library)
        return f"macosx_{major}_{minor}_{MACOS[target.machine]}"
    machine = LINUX.get(target.machine, target.machine)
    if target.is_musl:
        return f"musllinux_{MUSL}_{machine}"
    if target.is_glibc:
        major, minor = needed_glibc(library)
        return f"manylinux_{major}_{minor}_{machine}"
    raise UnknownPlatformError(target)


def wheel_tag(target: Target, library: bytes) -> str:
    return f"py3-none-{platform_tag(target, library)}"
