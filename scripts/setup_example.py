"""Both Storybooks of the example, rebuilt only when their inputs change."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_node import EXAMPLE_PACKAGES, node_environment
from scripts.setup_steps import ROOT, content_hash, is_fresh, require_success, say, write_stamp

EXAMPLE = EXAMPLE_PACKAGES.folder


@dataclass(frozen=True)
class State:
    """One of the two states of the design system, and its inputs."""

    script: str
    output: Path
    inputs: tuple[Path, ...]

    @property
    def stamp(self) -> Path:
        return EXAMPLE / ".states" / f"{self.output.name}.stamp"

    @property
    def value(self) -> str:
        return content_hash(self.inputs)

    def is_built(self) -> bool:
        return (self.output / "index.json").is_file() and is_fresh(self.stamp, self.value)


# A story shows the components of the pages, whose files the build copies.
WEB = ROOT / "src" / "visual_review" / "web"
COMPONENTS = (
    WEB / "templates" / "web" / "specimens",
    WEB / "static" / "web" / "icons.svg",
    *sorted((WEB / "static" / "web").glob("*.css")),
)
SOURCES = (
    *(*EXAMPLE_PACKAGES.recipe, EXAMPLE / "build.mjs", EXAMPLE / ".storybook", EXAMPLE / "src"),
    *COMPONENTS,
)
STATES = (
    State("build", EXAMPLE / "storybook-static", SOURCES),
    State(
        "build:changed",
        EXAMPLE / "storybook-static-changed",
        (*SOURCES, EXAMPLE / "changes"),
    ),
)


def build(state: State, node: Path) -> None:
    state.stamp.unlink(missing_ok=True)
    advice = f"Delete {EXAMPLE_PACKAGES.installed} and try again."
    require_success([node / "npm", "run", state.script], advice, EXAMPLE, node_environment(node))
    write_stamp(state.stamp, state.value)


def ensure_storybooks(node: Path) -> None:
    missing = [state for state in STATES if not state.is_built()]
    if not missing:
        return
    names = " and ".join(str(state.output.relative_to(ROOT)) for state in missing)
    say(f"building {names}")
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(build, state, node) for state in missing]:
            done.result()
