"""The environment that the browser and its driver get: nothing that could be a credential."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Final

# Listed is what is needed, because no list of names of secrets is ever complete. Proxies are
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
# Where Playwright finds its browsers and its Node.js; other variables of it may be tokens.
DRIVER_NAMES: Final = NAMES | {
    "DEBUG",
    "PLAYWRIGHT_BROWSERS_PATH",
    "PLAYWRIGHT_HOST_PLATFORM_OVERRIDE",
    "PLAYWRIGHT_NODEJS_PATH",
}

_one_at_a_time = Lock()


def select_variables(
    environment: Mapping[str, str], names: frozenset[str] = NAMES
) -> dict[str, str]:
    """Return the variables that the browser needs; on Windows, names may have lower case."""
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in names or name.startswith(PREFIXES)
    }


@contextmanager
def driver_environment() -> Iterator[None]:
    """Take all other variables out of this process's environment, until the block ends.

    Playwright starts its driver with the environment of this process and has no option for it.
    """
    with _one_at_a_time:
        hidden = {
            name: os.environ[name]
            for name in os.environ.keys() - select_variables(os.environ, DRIVER_NAMES).keys()
        }
        for name in hidden:
            del os.environ[name]
        try:
            yield
        finally:
            os.environ.update(hidden)
