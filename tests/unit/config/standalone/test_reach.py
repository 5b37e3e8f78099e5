"""What the service may still read after it gave up root."""

import sys
from pathlib import Path

import pytest

from visual_review.config.standalone.reach import readable_paths


def test_compiled_modules_outside_of_the_installation_stay_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    assert tmp_path in readable_paths()


def test_nothing_is_added_if_they_lie_next_to_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    assert Path() not in readable_paths()
