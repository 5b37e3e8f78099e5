"""The example's packages and both of its Storybooks, made again only when their inputs changed."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_steps import ROOT, content_hash, is_fresh, require, say, write_stamp

EXAMPLE = ROOT / "examples" / "storybook"
RECIPE = tuple(EXAMPLE / name for name in (".npmrc", "package.json", "package-lock.json"))


@dataclass(frozen=True)
class State:
    """One of the two states of the design system, and what it is made from."""

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


SOURCES = (*RECIPE, EXAMPLE / "build.mjs", EXAMPLE / ".storybook", EXAMPLE / "src")
STATES = (
    State("build", EXAMPLE / "storybook-static", SOURCES),
    State(
        "build:changed",
        EXAMPLE / "storybook-static-changed",
        (*SOURCES, EXAMPLE / "changes"),
    ),
)


def node_environment(node: Path) -> dict[str, str]:
    return {
        "PATH": f"{node}{os.pathsep}{os.environ['PATH']}",
        "STORYBOOK_DISABLE_TELEMETRY": "1",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    }


def ensure_node_packages(node: Path) -> None:
    # The stamp lies in the folder that `npm ci` deletes first, so it never outlives its packages.
    stamp = EXAMPLE / "node_modules" / ".setup-stamp"
    value = content_hash(RECIPE)
    if is_fresh(stamp, value):
        return
    say("installing the example's packages")
    advice = "Is the npm registry within reach? `npm config get registry` names it."
    require(
        [node / "npm", "ci", "--no-fund", "--no-audit"], advice, EXAMPLE, node_environment(node)
    )
    write_stamp(stamp, value)


def build(state: State, node: Path) -> None:
    state.stamp.unlink(missing_ok=True)
    advice = f"Delete {EXAMPLE / 'node_modules'} and try again."
    require([node / "npm", "run", state.script], advice, EXAMPLE, node_environment(node))
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
