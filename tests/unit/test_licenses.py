"""The accepted licenses of packages."""

import pytest
from scripts.licenses import is_accepted, license_of


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("MIT", True),
        ("BSD License, Mozilla Public License 2.0 (MPL 2.0)", True),
        ("Apache-2.0 OR BSD-3-Clause", True),
        ("LGPL-3.0-only", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only AND MIT", False),
        ("GNU General Public License v3 (GPLv3)", False),
        ("AGPL-3.0-only", False),
        ("unknown", False),
    ],
)
def test_every_part_of_a_license_is_accepted(text: str, accepted: bool) -> None:  # noqa: FBT001 - A case.
    assert is_accepted(text) is accepted


def test_the_license_is_what_the_package_says() -> None:
    assert license_of("django") == "BSD-3-Clause"
    assert license_of("no-such-package") == ""
