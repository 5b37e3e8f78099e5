"""Landlock: the kernel limits the files and ports that a process can use, from then on."""

import ctypes
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from visual_review.kernel.confinement.process import forbid_new_privileges
from visual_review.kernel.confinement.system_calls import ConfinementError, system_call

# The same numbers on every machine.
CREATE_RULESET: Final = 444
ADD_RULE: Final = 445
RESTRICT_SELF: Final = 446
GET_VERSION: Final = 1
PATH_BENEATH: Final = 1

EXECUTE: Final = 1 << 0
WRITE_FILE: Final = 1 << 1
READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
REMOVE_FILE: Final = 1 << 5
MAKE_REG: Final = 1 << 8
REFER: Final = 1 << 13
TRUNCATE: Final = 1 << 14

READ: Final = EXECUTE | READ_FILE | READ_DIR
CHANGE_FILES: Final = WRITE_FILE | READ_FILE | READ_DIR | REMOVE_FILE | MAKE_REG | TRUNCATE
# Rules for a single file accept no rights of folders.
FILE_RIGHTS: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE

# How many rights the kernel knows, by version of the interface; later ones know all of these.
RIGHTS_BY_VERSION: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
NETWORK_VERSION: Final = 4
SCOPE_VERSION: Final = 6
BIND_AND_CONNECT: Final = 0b11
ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11
# Renames between folders are refused without this version, whatever the rules say.
REFER_VERSION: Final = 2


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock_version() -> int:
    """Return the version of the kernel's interface; 0 where Landlock is missing or off."""
    try:
        return system_call(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)
    except ConfinementError:
        return 0


def known_rights(version: int) -> int:
    """Return all rights to files that this version of the interface can restrict."""
    return (1 << RIGHTS_BY_VERSION.get(version, max(RIGHTS_BY_VERSION.values()))) - 1


def restrict_files(rules: Mapping[Path, int], restricted: int, *, isolate: bool = False) -> None:
    """Refuse the ``restricted`` rights, except as the rules grant them below their paths.

    ``isolate`` also refuses TCP, abstract sockets and signals to other processes, as far as the
    kernel can. A path that does not exist has no rule. Raises ConfinementError.
    """
    version = landlock_version()
    restricted &= known_rights(version)
    ruleset = _Ruleset(
        restricted,
        BIND_AND_CONNECT if isolate and version >= NETWORK_VERSION else 0,
        ABSTRACT_SOCKETS_AND_SIGNALS if isolate and version >= SCOPE_VERSION else 0,
    )
    number = system_call(
        CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(_ruleset_size(version)), 0
    )
    try:
        _add_rules(number, rules.items(), restricted)
        forbid_new_privileges()
        system_call(RESTRICT_SELF, number, 0)
    finally:
        os.close(number)


def _ruleset_size(version: int) -> int:
    # Older kernels refuse a larger structure than they know.
    fields = 1 + (version >= NETWORK_VERSION) + (version >= SCOPE_VERSION)
    return ctypes.sizeof(ctypes.c_uint64) * fields


def _add_rules(ruleset: int, rules: Iterable[tuple[Path, int]], restricted: int) -> None:
    for path, rights in rules:
        with suppress(FileNotFoundError, NotADirectoryError):
            allowed = rights & restricted & (-1 if path.is_dir() else FILE_RIGHTS)
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = _PathRule(allowed, folder)
                system_call(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(rule), 0)
            finally:
                os.close(folder)
