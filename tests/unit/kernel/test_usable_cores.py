"""How many cores a process may use, on a machine and in a container."""

from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.kernel import usable_cores as usable_cores_module
from visual_review.kernel.usable_cores import quota_of, usable_cores

QUOTAS = (
    ("200000", "100000", 2),
    ("150000", "100000", 2),
    ("10000", "100000", 1),
    ("max", "100000", None),
    ("-1", "100000", None),
    ("100000", "0", None),
    ("", "", None),
)
GROUPS = (
    ("no group", "", {}, 64),
    ("version 2", "0::/", {"cpu.max": "300000 100000\n"}, 3),
    ("version 2, unlimited", "0::/", {"cpu.max": "max 100000\n"}, 64),
    (
        "the group above has less",
        "0::/pod/app",
        {"pod/app/cpu.max": "800000 100000\n", "pod/cpu.max": "200000 100000\n"},
        2,
    ),
    (
        "version 1",
        "4:memory:/x\n3:cpuacct,cpu:/x",
        {"cpu/x/cpu.cfs_quota_us": "250000\n", "cpu/x/cpu.cfs_period_us": "100000\n"},
        3,
    ),
    ("of another controller", "3:memory:/x", {"memory/x/cpu.max": "100000 100000"}, 64),
)


def test_a_quota_is_rounded_up_to_whole_cores(case: Case) -> None:
    for quota, period, expected in QUOTAS:
        with case(f"{quota} of {period}"):
            assert quota_of(quota, period) == expected


def test_the_smallest_limit_counts(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usable_cores_module, "_cores_by_affinity", lambda: 64)
    for number, (name, membership, files, expected) in enumerate(GROUPS):
        with case(name):
            folder = tmp_path / str(number)
            for path, text in {**files, "membership": membership}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
            monkeypatch.setattr(usable_cores_module, "CGROUPS", folder)
            monkeypatch.setattr(usable_cores_module, "MEMBERSHIP", folder / "membership")
            assert usable_cores() == expected


def test_this_process_may_use_at_least_one() -> None:
    assert usable_cores() >= 1
