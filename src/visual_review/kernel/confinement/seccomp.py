"""Seccomp: the kernel refuses system calls to a process, from then on.

A filter is a program for the kernel's classic BPF machine; ``refuse`` returns one as a
list of instructions, and ``install`` applies it.
"""

import ctypes
import errno
from collections.abc import Iterable
from typing import Final, NamedTuple

from visual_review.kernel.confinement.process import forbid_new_privileges
from visual_review.kernel.confinement.system_call_numbers import NUMBERS
from visual_review.kernel.confinement.system_calls import (
    MACHINE,
    PR_GET_SECCOMP,
    PR_SET_SECCOMP,
    ConfinementError,
    prctl,
)

MODE_FILTER: Final = 2
# What the kernel passes to the filter: the call, the architecture, the address, six arguments.
CALL_OFFSET: Final = 0
ARCHITECTURE_OFFSET: Final = 4
# From <linux/audit.h>, and the column of the table of numbers.
ARCHITECTURES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
# The bit of numbers that select the 32-bit calls of the same architecture.
X32: Final = 0x40000000

LOAD: Final = 0x20
JUMP_IF_EQUAL: Final = 0x15
JUMP_IF_AT_LEAST: Final = 0x35
RETURN: Final = 0x06
ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
# As if the kernel did not have the call: libraries then take another way, or report the error.
REFUSE: Final = 0x00050000 | errno.ENOSYS


class Instruction(NamedTuple):
    code: int
    if_true: int
    if_false: int
    value: int


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def seccomp_available() -> bool:
    """Whether the kernel filters system calls, and we know their numbers on this machine."""
    if MACHINE not in ARCHITECTURES:
        return False
    try:
        prctl(PR_GET_SECCOMP)
    except ConfinementError:
        return False
    return True


def refuse(names: Iterable[str], machine: str = MACHINE) -> list[Instruction]:
    """Return a filter that refuses these calls and allows all others."""
    rules = [
        instruction
        for number in _numbers(names, machine)
        for instruction in _if_call(number, REFUSE)
    ]
    return [
        *_check_architecture(machine),
        # Numbers from here on name the same calls again.
        Instruction(JUMP_IF_AT_LEAST, 0, 1, X32),
        Instruction(RETURN, 0, 0, REFUSE),
        *rules,
        Instruction(RETURN, 0, 0, ALLOW),
    ]


def install(instructions: list[Instruction]) -> None:
    """Apply a filter to the calling thread and all that it starts; raises ConfinementError."""
    array = (_Instruction * len(instructions))(*(_Instruction(*each) for each in instructions))
    program = _Program(len(instructions), array)
    forbid_new_privileges()
    prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(program))


def _check_architecture(machine: str) -> list[Instruction]:
    return [
        Instruction(LOAD, 0, 0, ARCHITECTURE_OFFSET),
        Instruction(JUMP_IF_EQUAL, 1, 0, ARCHITECTURES[machine][0]),
        Instruction(RETURN, 0, 0, KILL),
        Instruction(LOAD, 0, 0, CALL_OFFSET),
    ]


def _if_call(number: int, result: int) -> tuple[Instruction, Instruction]:
    return Instruction(JUMP_IF_EQUAL, 0, 1, number), Instruction(RETURN, 0, 0, result)


def _numbers(names: Iterable[str], machine: str) -> list[int]:
    column = ARCHITECTURES[machine][1]
    numbers = (NUMBERS[name][column] for name in names)
    return [number for number in numbers if number is not None]
