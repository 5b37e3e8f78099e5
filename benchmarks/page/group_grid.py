"""The grid of a large group: seconds until the first cells are painted, and the content."""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw
from scripts.demo_folder import demo_folder
from scripts.demo_server import PROGRAM, DemoServer, clean_environment, running_server
from scripts.screenshots import sign_in

from benchmarks.page.results import MEGABYTE
from benchmarks.page.server_times import PageError
from benchmarks.page.tab import open_browser, open_tab, signed_in_context

MEMBERS: Final = 500
SIZE: Final = (1280, 800)
HEADER: Final = 56
SECONDS, MEMORY = 0.3, 300 * MEGABYTE
HEAD: Final = f"{'group':<18}{'members':>9}{'painted ms':>12}{'all ms':>9}{'tab MB':>8}"
# The cells in the window are painted; and every cell was.
PAINTED: Final = """() => {
  const visible = [...document.querySelectorAll('.grid-cell')].filter((cell) => {
    const { top, bottom } = cell.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
  return visible.length > 0 && visible.every((cell) => cell.dataset.painted);
}"""
SCROLLED: Final = """(step) => {
  const dialog = document.querySelector('.dialog--group');
  dialog.scrollTop += step;
  return dialog.scrollTop + dialog.clientHeight >= dialog.scrollHeight - 1;
}"""


@dataclass(frozen=True)
class GridRow:
    """Seconds from the key to the painted cells of the window, and to the last cell; bytes."""

    members: int
    painted: float
    everything: float
    memory: int

    def __str__(self) -> str:
        return (
            f"{'another header':<18}{self.members:>9}{self.painted * 1000:>12.0f}"
            f"{self.everything * 1000:>9.0f}{self.memory / MEGABYTE:>8.0f}"
        )

    def missed(self) -> Iterator[str]:
        if self.painted > SECONDS:
            yield f"group grid: painted after {self.painted * 1000:.0f} ms, bar 300 ms"
        if self.memory > MEMORY:
            yield f"group grid: {self.memory / MEGABYTE:.0f} MB, bar 300 MB"


def measure_grid() -> Iterator[GridRow]:
    """Publish a build with one header changed on all pages, and open its group."""
    with demo_folder("bench-grid") as folder, running_server(folder) as server:
        build = publish_group(folder, server)
        with open_browser() as browser, signed_in_context(browser, server.url, {}) as context:
            sign_in(context, server)
            tab = open_tab(browser, context, 0)
            tab.page.goto(build)
            tab.page.locator("#review[data-painted]").wait_for()
            began = time.monotonic()
            tab.page.keyboard.press("g")
            painted = _wait(tab.page.evaluate, began)
            while not tab.page.evaluate(SCROLLED, 600):
                _wait(tab.page.evaluate, began)
            everything = _wait(tab.page.evaluate, began)
            yield GridRow(MEMBERS, painted, everything, tab.memory())


def publish_group(folder: Path, server: DemoServer) -> str:
    """Return the URL of the build."""
    connected = server.act("connect_repo", fullName="bench/grid", defaultBranch="main")
    for commit, color in (("a" * 40, "#0b6e4f"), ("b" * 40, "#7a1f5c")):
        shots = folder / f"shots-{color[1:]}"
        draw_pages(shots, color)
        command = [str(PROGRAM), "publish", str(shots), "--branch", "main", "--commit", commit]
        environment = clean_environment(
            {"VISUAL_REVIEW_URL": server.url, "UI_REVIEW_TOKEN": connected["projectToken"]}
        )
        subprocess.run(command, env=environment, check=False, capture_output=True)
        newest = server.act("list_builds", repoId=connected["repo"]["id"], limit=1)["builds"][0]
        build = server.act("get_build", buildId=newest["id"])["build"]
        if color == "#0b6e4f":
            server.act("approve_build", buildId=build["id"])
    return str(build["url"])


def draw_pages(folder: Path, header: str) -> None:
    folder.mkdir()
    for number in range(MEMBERS):
        image = Image.new("RGB", SIZE, "white")
        brush = ImageDraw.Draw(image)
        brush.rectangle((0, 0, SIZE[0], HEADER), header)
        for line in range(20):
            brush.text(
                (40, 100 + 30 * line), f"Page {number}, line {line}: " + "words " * 12, "black"
            )
        image.save(folder / f"page-{number:03}.png")


def _wait(evaluate: object, began: float) -> float:
    """Return the seconds until the cells in the window are painted."""
    for _ in range(2000):
        if evaluate(PAINTED):  # type: ignore[operator]
            return time.monotonic() - began
        time.sleep(0.01)
    raise PageError("The cells of the group were not painted.")
