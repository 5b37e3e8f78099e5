"""The Storybook of awkward stories, rebuilt only when its inputs change."""

from pathlib import Path

from scripts.setup_node import EXAMPLE_PACKAGES, node_environment
from scripts.setup_steps import ROOT, content_hash, is_fresh, require_success, say, write_stamp

FOLDER = ROOT / "tests" / "storybooks"
AWKWARD = FOLDER / "awkward"
OUTPUT = AWKWARD / "storybook-static"
INPUTS = (
    *EXAMPLE_PACKAGES.recipe,
    FOLDER / "build.mjs",
    *(AWKWARD / name for name in (".storybook", "public", "stories")),
)


def ensure_awkward_storybook(node: Path) -> None:
    # The build deletes its output first, so the stamp in it never outlives the output.
    stamp = OUTPUT / ".setup-stamp"
    value = content_hash(INPUTS)
    if is_fresh(stamp, value):
        return
    say(f"building {OUTPUT.relative_to(ROOT)}")
    advice = f"Delete {EXAMPLE_PACKAGES.installed} and try again."
    command: list[str | Path] = [node / "node", FOLDER / "build.mjs", AWKWARD.name]
    require_success(command, advice, FOLDER, node_environment(node))
    write_stamp(stamp, value)
