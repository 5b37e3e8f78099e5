"""The steps of a user with Playwright tests: the printed commands, run and reviewed."""

import shutil
from pathlib import Path
from typing import Final

from scripts.first_use.machine import Machine
from scripts.first_use.printed import read_build
from scripts.first_use.publishing import check_exit
from scripts.first_use.session import Session
from scripts.first_use.setting_up import PUBLISH, SHELL_TAB
from scripts.setup_node import PLAYWRIGHT_PACKAGES
from scripts.setup_tools import ensure_chromium

TAB: Final = "Playwright"
INSTALL: Final = "the command that installs the package"
PACKAGE_FILES: Final = ("package.json", "package-lock.json")
FILES: Final = ("site", "tests/site.ts", "tests/pages.spec.ts")
# Without the reporter: the printed command names the reporter. The browser is the machine's own.
CONFIG: Final = """\
import { defineConfig } from "@playwright/test";
export default defineConfig({
  testDir: "./tests",
  use: { launchOptions: { executablePath: "%s", args: ["--no-sandbox"] } },
  projects: [{ name: "chromium" }],
});
"""
PACKAGE: Final = """\
{
  "name": "pages",
  "private": true,
  "type": "module",
  "devDependencies": { "@playwright/test": "%s" }
}
"""
STYLE: Final = ("#0b57d0", "#137333")


class PlaywrightProject:
    """A checkout with Playwright tests, without any trace of the service."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self.folder = folder / "pages"
        example = PLAYWRIGHT_PACKAGES.folder
        for name in FILES:
            source, target = example / name, self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        version = PLAYWRIGHT_PACKAGES.version_of("@playwright/test")
        (self.folder / "package.json").write_text(PACKAGE % version)
        (self.folder / "playwright.config.ts").write_text(CONFIG % ensure_chromium())
        (self.folder / ".gitignore").write_text("node_modules\ntest-results\n")
        machine.require("npm install --no-audit --no-fund", self.folder)
        machine.require("git init --quiet --initial-branch main", self.folder)
        machine.require("git add --all && git commit --quiet --message 'Pages'", self.folder)

    def change_style(self) -> None:
        style = self.folder / "site" / "styles.css"
        style.write_text(style.read_text().replace(*STYLE))


def use_playwright(session: Session, url: str) -> None:
    """Connect another repository, run its tests, approve, change the style, and run all again."""
    project = PlaywrightProject(session.folder, session.machine)
    visitor = session.visitor
    with session.report.step("connect a repository with Playwright tests") as step:
        visitor.open(f"{url}/repositories")
        visitor.connect_repository("harbour/pages")
        visitor.choose_tab(TAB)
        visitor.choose_tab(SHELL_TAB)
        install, publish = visitor.copy(INSTALL), visitor.copy(PUBLISH)
        step.check("npx playwright test" in publish, "the page prints the commands", publish)
    with session.report.step("install the package") as step:
        session.machine.require(install, project.folder)
        step.checks.append("works: npm install")
    with session.report.step("run the tests for the first time") as step:
        # Playwright fails a test whose expectations were only just written.
        done = session.machine.run(publish, project.folder)
        check_exit(step, done, 1)
        build = read_build(done.output)
        step.check(build.button, f'it says to choose "{build.button}"', done.output)
    with session.report.step("approve the screenshots of the tests") as step:
        visitor.open_build(build.url)
        text = visitor.approve_build(build.button)
        step.check("is the baseline of main now" in text, "it is the baseline now", text)
    with session.report.step("run the tests again") as step:
        done = session.machine.run(publish, project.folder)
        check_exit(step, done, 0)
        verdict = read_build(done.output).verdict
        step.check(verdict == "nothing to review", "it says: nothing to review", done.output)
    with session.report.step("run the tests after a change of the style") as step:
        project.change_style()
        done = session.machine.run(publish, project.folder)
        check_exit(step, done, 1)
        step.check(read_build(done.output).verdict == "review needed", "it says: review needed")
        step.check("18 changed" in done.output, "exactly 18 of 20 screenshots changed", done.output)
