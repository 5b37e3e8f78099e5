"""Changing the user of this process, and the rights of root that are kept then."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from visual_review.kernel.confinement.system_calls import (
    PR_CAP_AMBIENT,
    PR_SET_KEEPCAPS,
    ConfinementError,
    call_library,
    prctl,
)

# From <linux/capability.h>: reading every file, which includes entering every folder.
READ_ALL_FILES: Final = 2
SET_GROUP: Final = 6
SET_USER: Final = 7
CHANGE_OWNER: Final = 0
VERSION: Final = 0x20080522
AMBIENT_RAISE: Final = 2
WORD_BITS: Final = 32


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _CapabilitySet(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


_CapabilitySets = _CapabilitySet * 2


def has_capabilities(*numbers: int) -> bool:
    """Whether this process may use these now; a container can withhold them from root."""
    try:
        sets = _get()
    except ConfinementError:
        # Not Linux.
        return False
    return all(sets[number // WORD_BITS].effective & _bit(number) for number in numbers)


def change_user(uid: int, gid: int, *, keep_reading: bool = False) -> None:
    """Become another user for good. ``keep_reading`` keeps the right to read every file.

    Programs that are started then have that right too. Raises OSError.
    """
    prctl(PR_SET_KEEPCAPS, int(keep_reading))
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if keep_reading:
        bit = _bit(READ_ALL_FILES)
        _set(_CapabilitySets(_CapabilitySet(bit, bit, bit)))
        prctl(PR_CAP_AMBIENT, AMBIENT_RAISE, READ_ALL_FILES)
        prctl(PR_SET_KEEPCAPS, 0)


@contextmanager
def acting_as(uid: int, gid: int) -> Iterator[None]:
    """Act as another user who can read every file, then as root again.

    Programs that are started meanwhile cannot return to root.
    """
    groups, sets = os.getgroups(), _get()
    os.setgroups([])
    os.setresgid(gid, gid, 0)
    os.setresuid(uid, uid, 0)
    try:
        bit = _bit(READ_ALL_FILES)
        _set(
            _CapabilitySets(
                _CapabilitySet(bit, sets[0].permitted, bit), _CapabilitySet(0, sets[1].permitted, 0)
            )
        )
        prctl(PR_CAP_AMBIENT, AMBIENT_RAISE, READ_ALL_FILES)
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        _set(sets)
        os.setgroups(groups)


def _bit(number: int) -> int:
    return 1 << (number % WORD_BITS)


def _get() -> "ctypes.Array[_CapabilitySet]":
    sets = _CapabilitySets()
    call_library("capget", ctypes.byref(_Header(VERSION, 0)), ctypes.byref(sets))
    return sets


def _set(sets: "ctypes.Array[_CapabilitySet]") -> None:
    call_library("capset", ctypes.byref(_Header(VERSION, 0)), ctypes.byref(sets))
