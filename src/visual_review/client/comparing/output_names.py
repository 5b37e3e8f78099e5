"""Names of the report's files, accepted by every file system and artifact storage; pure."""

import hashlib
import re
from typing import Final

# Characters refused by Windows and by the artifact storages of CI systems, and characters
# controlling a terminal.
_REFUSED: Final = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f-\x9f\ud800-\udfff]')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
# In bytes; file systems allow 255, and the extension and a temporary name need some.
LONGEST_PART: Final = 200
_HASH_LENGTH: Final = 8


def difference_name(name: str) -> str:
    """Return the name of the PNG file with the difference of this image."""
    portable = portable_name(name)
    return portable if portable.lower().endswith(".png") else f"{portable}.png"


def portable_name(name: str) -> str:
    """Return the name with every part of the path in a form accepted by all systems.

    A changed part gets a hash of the original part, so that two names never become one.
    """
    return "/".join(_portable_part(part) for part in name.split("/"))


def _portable_part(part: str) -> str:
    replaced = _REFUSED.sub("_", part)
    ends_badly = replaced != replaced.rstrip(" .")
    too_long = len(replaced.encode()) > LONGEST_PART
    if replaced == part and not (ends_badly or too_long or _RESERVED.fullmatch(part)):
        return part
    digest = hashlib.sha256(part.encode(errors="surrogatepass")).hexdigest()[:_HASH_LENGTH]
    stem, dot, extension = replaced.rstrip(" .").rpartition(".")
    if not dot:
        stem, extension = extension, ""
    room = LONGEST_PART - _HASH_LENGTH - len(extension.encode()) - 2
    short = stem.encode()[: max(room, 0)].decode(errors="ignore")
    return f"{short}~{digest}{dot}{extension[:20]}"
