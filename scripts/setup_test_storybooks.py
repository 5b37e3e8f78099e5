"""The Storybooks that tests build with the packages of the example, when their inputs change."""

from pathlib import Path

from scripts.setup_node import EXAMPLE_PACKAGES, node_environment
from scripts.setup_steps import ROOT, content_hash, is_fresh, require_success, say, write_stamp

FOLDER = ROOT / "tests" / "storybooks"
NAMES = ("awkward", "leaky")
BUILT = "storybook-static"
SOURCES = (".storybook", "public", "stories")


def ensure_test_storybooks(node: Path) -> None:
    for name in NAMES:
        _ensure_storybook(FOLDER / name, node)


def _ensure_storybook(folder: Path, node: Path) -> None:
    output = folder / BUILT
    sources = [folder / name for name in SOURCES if (folder / name).is_dir()]
    inputs = [*EXAMPLE_PACKAGES.recipe, FOLDER / "build.mjs", *sources]
    # The build first deletes its output with the stamp, so no stamp outlives the output.
    stamp = output / ".setup-stamp"
    value = content_hash(inputs)
    if is_fresh(stamp, value):
        return
    say(f"building {output.relative_to(ROOT)}")
    advice = f"Delete {EXAMPLE_PACKAGES.installed} and try again."
    command: list[str | Path] = [node / "node", FOLDER / "build.mjs", folder.name]
    require_success(command, advice, FOLDER, node_environment(node))
    write_stamp(stamp, value)
