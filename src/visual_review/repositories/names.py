"""Valid names of repositories, branches and products; pure.

The patterns mean the same in Python and in JSON Schema (ECMA 262), because the published schemas
contain the patterns. The checks refuse a little more than the patterns: rules about neighboring
characters, and invisible characters beyond U+FFFF.
"""

import re
from typing import Final
from unicodedata import category

from visual_review.accounts import invisible_characters
from visual_review.kernel.errors import InvalidInputError

BRANCH_LENGTH: Final = 255
NAME_LENGTH: Final = 300

# Refused beyond ASCII: controls, spaces, characters that are invisible or reorder text, and the
# replacement for a missing character. The joiners are left to _shows_itself, since Persian, Hindi
# and emoji are written with joiners.
_HIDDEN: Final = (
    "\\u0080-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufffc-\\uffff"
    f"{invisible_characters.OTHERS}"
)
# Of ASCII letters, digits, '.', '_' and '-'.
_OTHER_ASCII: Final = "\\u0000-\\u002c\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u007f"
_NAME: Final = f"[^{_OTHER_ASCII}{_HIDDEN}]"
# At least one character other than a dot: "." and ".." are folders on every host. The pattern
# matches in one way only, since repeated segments would otherwise be tried in exponentially many.
_SEGMENT: Final = f"[.]*[^.{_OTHER_ASCII}{_HIDDEN}{invisible_characters.JOINERS}]{_NAME}*"
FULL_NAME_PATTERN: Final = f"^{_SEGMENT}(/{_SEGMENT})+$"
# Without control characters, characters rejected by git, and marks that change the text direction
# on a page.
_BRANCH_PART: Final = (
    "[^\\u0000-\\u0020\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069~^:?*\\[\\\\/]+"
)
BRANCH_PATTERN: Final = f"^{_BRANCH_PART}(/{_BRANCH_PART})*$"
# Without capital letters of ASCII, so that Web and web are not two products.
PRODUCT_PATTERN: Final = (
    f"^[^A-Z._\\-{_OTHER_ASCII}{_HIDDEN}{invisible_characters.JOINERS}]"
    f"[^A-Z{_OTHER_ASCII}{_HIDDEN}]{{0,63}}$"
)

_INVISIBLE_PART: Final = (
    "must not contain invisible characters, or begin with a combining mark; joiners may only stand "
    "where they change what is seen"
)

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
            "must have the form owner/repo (or group/subgroup/repo) of letters of any script, "
            "digits, '.', '_' and '-'",
        )
    if not all(map(_shows_itself, text.split("/"))):
        raise _invalid(pointer, _INVISIBLE_PART)
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
            "must have 1 to 64 characters, which are letters of any script (of the Latin alphabet "
            "only a-z), digits, '.', '_' and '-', and begin with a letter or digit",
        )
    if not _shows_itself(text):
        raise _invalid(pointer, _INVISIBLE_PART)
    return text


def is_same_name(one: str, other: str) -> bool:
    """Whether two full names mean the same repository: providers ignore the case of a-z.

    Only of a-z: folding the case of other scripts would make different names equal, as of
    ``straße`` and ``strasse``.
    """
    return fold_name(one) == fold_name(other)


def fold_name(full_name: str) -> bytes:
    """Return the common form of all full names of the same repository."""
    # Of bytes, only the letters of ASCII have a case. A provider may send half a surrogate pair.
    return full_name.encode(errors="surrogatepass").lower()


def _shows_itself(part: str) -> bool:
    """Whether each character of a part can be seen, and the first after dots is no mark."""
    # A mark alone would be seen on the slash before it, or on nothing.
    first = part.lstrip(".")[:1]
    return not category(first).startswith("M") and not invisible_characters.hides_characters(part)


def _invalid(pointer: str, problem: str) -> InvalidInputError:
    return InvalidInputError(f"'{pointer.lstrip('/')}' {problem}.", [(pointer, problem)])
