"""Valid names of repositories, branches and products; pure.

The patterns mean the same in Python and in JSON Schema (ECMA 262), because the published schemas
contain them.
"""

import re
from typing import Final

from visual_review.kernel.errors import InvalidInputError

BRANCH_LENGTH: Final = 255
NAME_LENGTH: Final = 300

# At least one character that is not a dot: "." and ".." are folders on every host. It matches in one
# way only, since repeated segments would otherwise be tried in exponentially many.
_SEGMENT: Final = "[.]*[A-Za-z0-9_-][A-Za-z0-9._-]*"
FULL_NAME_PATTERN: Final = f"^{_SEGMENT}(/{_SEGMENT})+$"
# Without control characters, what git rejects, and marks that change the text direction on a page.
_BRANCH_PART: Final = (
    "[^\\u0000-\\u0020\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069~^:?*\\[\\\\/]+"
)
BRANCH_PATTERN: Final = f"^{_BRANCH_PART}(/{_BRANCH_PART})*$"
PRODUCT_PATTERN: Final = "^[a-z0-9][a-z0-9._-]{0,63}$"

_FULL_NAME: Final = re.compile(FULL_NAME_PATTERN)
_BRANCH: Final = re.compile(BRANCH_PATTERN)
_PRODUCT: Final = re.compile(PRODUCT_PATTERN)


def check_full_name(text: str, pointer: str = "/fullName") -> str:
    """Return ``owner/repo``, possibly nested; raises InvalidInputError at ``pointer``."""
    if len(text) > NAME_LENGTH:
        raise _invalid(pointer, f"is longer than {NAME_LENGTH} characters")
    if not _FULL_NAME.fullmatch(text):
        raise _invalid(
            pointer,
            "must have the form owner/repo (or group/subgroup/repo) of letters, digits, '.', "
            "'_' and '-'",
        )
    return text


def check_branch(text: str, pointer: str = "/branch") -> str:
    """Return a branch roughly as git allows it; raises InvalidInputError at ``pointer``."""
    if len(text) > BRANCH_LENGTH:
        raise _invalid(pointer, f"is longer than {BRANCH_LENGTH} characters")
    if not _BRANCH.fullmatch(text):
        raise _invalid(
            pointer,
            "is not a branch name: it must not be empty or contain spaces, control characters, "
            "any of ~^:?*[\\ or an empty part between slashes",
        )
    return text


def check_product_key(text: str, pointer: str = "/productKey") -> str:
    """Return a product's key; raises InvalidInputError at ``pointer``."""
    if not _PRODUCT.fullmatch(text):
        raise _invalid(
            pointer,
            "must have 1 to 64 characters of a-z, 0-9, '.', '_' and '-', and begin with a letter "
            "or digit",
        )
    return text


def _invalid(pointer: str, problem: str) -> InvalidInputError:
    return InvalidInputError(f"'{pointer.lstrip('/')}' {problem}.", [(pointer, problem)])
