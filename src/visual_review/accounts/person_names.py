"""How people are named; pure."""

from visual_review.accounts.invisible_characters import is_invisible


def name_or_email(name: str | None, email: str | None) -> str:
    """Return the name, or the e-mail address of a person whose name shows nothing."""
    shown = (name or "").strip()
    is_visible = any(
        each.isprintable() and not is_invisible(each) and each != " " for each in shown
    )
    return shown if is_visible else email or ""
