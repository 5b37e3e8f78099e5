"""The environment for the browser: no variable that could be a credential."""

from collections.abc import Mapping
from typing import Final

# The list names needed variables, because no list of names of secrets is ever complete. Proxies are
# left out, too: their URLs have passwords, and the browser uses none.
NAMES: Final = frozenset(
    {
        *("HOME", "LANG", "LANGUAGE", "PATH", "TZ"),
        *("TEMP", "TMP", "TMPDIR"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME"),
        *("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"),
        *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES"),
        *("PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "USERPROFILE", "WINDIR"),
    }
)
# Locale, fonts and drawing, which change pixels.
PREFIXES: Final = ("EGL_", "FONTCONFIG_", "GALLIUM_", "LC_", "LIBGL_", "MESA_", "VK_")


def select_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the browser needs; on Windows, names may have lower case."""
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in NAMES or name.startswith(PREFIXES)
    }
