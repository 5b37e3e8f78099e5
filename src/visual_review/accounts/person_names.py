"""How people are named; pure."""

from typing import Final

# Letters and symbols by their category, but invisible.
INVISIBLE: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def name_or_email(name: str | None, email: str | None) -> str:
    """Return the name, or the e-mail address of a person whose name shows nothing."""
    shown = (name or "").strip()
    is_visible = any(each.isprintable() and each not in INVISIBLE | {" "} for each in shown)
    return shown if is_visible else email or ""
