"""What repositories, branches and products may be called; pure.

The patterns are written so that Python and JSON Schema (ECMA 262) read them alike; the
published schemas carry them.
"""

import re
from typing import Final

from visual_review.kernel.errors import InvalidInputError

BRANCH_LENGTH: Final = 255
NAME_LENGTH: Final = 300

# One character beside dots at least: "." and ".." are folders on every host.
_SEGMENT: Final = "[A-Za-z0-9._-]*[A-Za-z0-9_-][A-Za-z0-9._-]*"
FULL_NAME_PATTERN: Final = f"^{_SEGMENT}(/{_SEGMENT})+$"
# Control characters, what git refuses, and marks that turn the direction of text on a page.
_BRANCH_PART: Final = (
    "[^\\u0000-\\u0020\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069~^:?*\\[\\\\/]+"
)
BRANCH_PATTERN: Final = f"^{_BRANCH_PART}(/{_BRANCH_PART})*$"
PRODUCT_PATTERN: Final = "^[a-z0-9][a-z0-9._-]{0,63}$"

_FULL_NAME: Final = re.compile(FULL_NAME_PATTERN)
_BRANCH: Final = re.compile(BRANCH_PATTERN)
_PRODUCT: Final = re.compile(PRODUCT_PATTERN)


def check_full_name(text: str, place: str = "/fullName") -> str:
    """``owner/repo``, owners may nest; raises InvalidInputError at ``place``."""
    if len(text) > NAME_LENGTH:
        raise _refusal(place, f"is longer than {NAME_LENGTH} characters")
    if not _FULL_NAME.fullmatch(text):
        raise _refusal(
            place,
            "must have the form owner/repo (or group/subgroup/repo) of letters, digits, '.', "
            "'_' and '-'",
        )
    return text


def check_branch(text: str, place: str = "/branch") -> str:
    """A branch as git allows it, loosely; raises InvalidInputError at ``place``."""
    if len(text) > BRANCH_LENGTH:
        raise _refusal(place, f"is longer than {BRANCH_LENGTH} characters")
    if not _BRANCH.fullmatch(text):
        raise _refusal(
            place,
            "is no branch name: it must be neither empty nor hold spaces, control characters, "
            "any of ~^:?*[\\ or an empty part between slashes",
        )
    return text


def check_product_key(text: str, place: str = "/productKey") -> str:
    """A product's key; raises InvalidInputError at ``place``."""
    if not _PRODUCT.fullmatch(text):
        raise _refusal(
            place,
            "must be 1 to 64 of the characters a-z, 0-9, '.', '_' and '-', and begin with a "
            "letter or digit",
        )
    return text


def _refusal(place: str, fault: str) -> InvalidInputError:
    return InvalidInputError(f"'{place.lstrip('/')}' {fault}.", [(place, fault)])
