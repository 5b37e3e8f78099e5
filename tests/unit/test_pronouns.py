"""The check of pronouns counts the words of people, and fails above its limit."""

from pathlib import Path

import pytest
from scripts.pronouns import Count, check, count, read_comments

SOURCE = '''"""What it does."""
which = "it is no comment"  # Those are comments.


def they() -> None:
    """Return them."""
'''


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is this, and that's all.", Count(2, 6)),
        ("`it` and [the page](that/which.md) <!-- this -->", Count(0, 3)),
        ("```\nthose\n```\nThese remain.", Count(1, 2)),
    ],
)
def test_pronouns_are_counted_in_prose(text: str, expected: Count) -> None:
    assert count(text) == expected


def test_only_comments_and_docstrings_of_code_are_read() -> None:
    assert count(read_comments(SOURCE)) == Count(4, 8)


def test_an_average_above_the_limit_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, module, crate = (tmp_path / name for name in ("page.md", "module.py", "lib.rs"))
    page.write_text("It has nine words among which two are pronouns." + " More" * 91)
    module.write_text(SOURCE)
    crate.write_text("//! What they are.\nlet it = 1;\n    /// Named again.\n")
    assert check([page], 2.0)
    assert not check([page], 1.9)
    assert check([module, crate], 46.2)
    assert not check([module], 49.9)
    assert not check([crate], 39.9)
    assert "2.00 of 100 words" in capsys.readouterr().out
