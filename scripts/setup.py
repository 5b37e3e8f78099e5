"""Prepare a machine that has only Python and git, so that every other target can run.

Set-up needs only Python, prints one line for each step done, and prints nothing when there is
nothing to do: `python3 -m scripts.setup`.
"""

import sys

from scripts.documentation_site import ensure_site
from scripts.setup_example import ensure_storybooks
from scripts.setup_native import ensure_native_library
from scripts.setup_node import (
    API_CLIENTS,
    EXAMPLE_PACKAGES,
    HOST_EMULATORS,
    MCP_CLIENTS,
    PAGE_TOOLS,
    PIXELMATCH,
    PLAYWRIGHT_PACKAGES,
    ensure_node_package,
)
from scripts.setup_python_tools import API_CLIENT_GENERATORS
from scripts.setup_steps import SetupError
from scripts.setup_test_storybooks import ensure_test_storybooks
from scripts.setup_tools import ensure_chromium, ensure_packages, find_node, find_uv


def set_up() -> None:
    uv = find_uv()
    ensure_packages(uv)
    API_CLIENT_GENERATORS.ensure(uv)
    ensure_site()
    ensure_native_library()
    ensure_chromium()
    node = find_node()
    EXAMPLE_PACKAGES.ensure(node)
    ensure_node_package(node)
    PLAYWRIGHT_PACKAGES.ensure(node)
    MCP_CLIENTS.ensure(node)
    HOST_EMULATORS.ensure(node)
    PIXELMATCH.ensure(node)
    PAGE_TOOLS.ensure(node)
    API_CLIENTS.ensure(node)
    ensure_storybooks(node)
    ensure_test_storybooks(node)


def main() -> int:
    try:
        set_up()
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
