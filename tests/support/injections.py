"""The injected instructions of ``examples/injections``, and a search for them in texts."""

import json
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from scripts.setup_steps import ROOT

FOLDER: Final = ROOT / "examples" / "injections"
# A shorter part of an instruction could be the server's own words.
SHORTEST: Final = 12
# A text in JSON, the server's form of quoting.
QUOTED: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# Errors also name an argument of the call between single quotes.
QUOTED_IN_ERRORS: Final = re.compile(rf"{QUOTED.pattern}|'[^'\n]*'")
_SEPARATORS: Final = re.compile(r'["\n\u202e\u202c\u200b]+')
Injection = dict[str, str]


@cache
def read_injections() -> tuple[Injection, ...]:
    found = json.loads((FOLDER / "injections.json").read_text(encoding="utf-8"))
    return tuple(found)


def texts_of(where: str) -> list[str]:
    return [each["text"] for each in read_injections() if each["where"] == where]


def find_unquoted(text: str, quoted: re.Pattern[str] = QUOTED) -> list[str]:
    """Return parts of injected instructions found in ``text`` outside of quotes."""
    rest = quoted.sub("", text)
    parts = {
        part.strip()
        for injection in read_injections()
        for part in _SEPARATORS.split(injection["text"])
    }
    return sorted(part for part in parts if len(part) >= SHORTEST and part in rest)


def load_publisher(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the functions of the example's own script."""
    monkeypatch.syspath_prepend(FOLDER)
    return runpy.run_path(str(FOLDER / "publish.py"))


def render_images(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the functions of the script that makes the images."""
    monkeypatch.syspath_prepend(FOLDER)
    return runpy.run_path(str(FOLDER / "make_images.py"))


def image_of(injection: Injection, side: str) -> Path:
    return FOLDER / side / f"{injection['id']}.png"
