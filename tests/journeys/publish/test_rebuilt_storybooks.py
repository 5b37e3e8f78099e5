"""A partial build after a change of any kind of file finds the same as a full build.

The example is rebuilt with each change, captured and published to a real server, once with
--partial and once in full.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripts.demo_server import DemoServer

from tests.support.ci.job import CiJob, connect_repository, storybook
from tests.support.rebuilt_storybooks import RealProject, copy_example
from tests.support.servers.service import wait_until
from visual_review.client.publishing import Service

pytestmark = pytest.mark.deep

MAIN = """
import { locate } from "../config/locate.js";
import base from "./example.js";

export default {
  ...base,
  staticDirs: [...base.staticDirs, "../public"],
  viteFinal: (config) => {
    const made = base.viteFinal(config);
    made.define = { ...made.define, __SHADE__: JSON.stringify("silver") };
    made.resolve = { ...made.resolve, alias: { "@accent": locate("navy") } };
    return made;
  },
};
"""
LOCATE = """
import { join } from "node:path";

export const locate = (name) => join(import.meta.dirname, "..", "src", "kinds", `${name}.js`);
"""
STORIES = """
import { accent } from "@accent";
import { width } from "sized-package";
import "./letters.css";
import "./card.css";

export default { title: "Kinds" };

const block = (text) => `<p>${text}</p>`;

async function fetched() {
  const text = await (await fetch("./locales/en.json")).json();
  return block(text.greeting);
}

async function calculated() {
  const worker = new Worker(new URL("./sum.worker.js", import.meta.url), { type: "module" });
  return block(await new Promise((done) => worker.addEventListener("message", (e) => done(e.data))));
}

const later = (load) => () => {
  const element = document.createElement("div");
  load().then((html) => (element.innerHTML = html));
  return element;
};

export const Locale = { render: later(fetched) };
export const Sum = { render: later(calculated) };
export const Letters = { render: () => `<p class="letters">ABC abc</p>` };
export const Place = { render: () => block(window.place) };
export const Env = { render: () => block(import.meta.env.STORYBOOK_HARBOR) };
export const Shade = { render: () => `<p style="background: ${__SHADE__}">shade</p>` };
export const Accent = { render: () => `<p style="color: ${accent}">accent</p>` };
export const Sized = { render: () => `<p style="width: ${width}px; background: gold">sized</p>` };
export const Framed = { render: () => `<p class="framed">framed</p>` };
export const Dotted = { render: () => `<p class="dotted">dotted</p>` };
"""
PIXEL = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    '<circle cx="9" cy="9" r="7" fill="COLOR"/></svg>'
)
PACKAGE = '{ "name": "sized-package", "version": "VERSION", "main": "index.js", "type": "module" }'
FILES = {
    ".storybook/main.js": MAIN,
    ".storybook/preview-head.html": '<script src="./env.js"></script>',
    "config/locate.js": LOCATE,
    ".env": "STORYBOOK_HARBOR=north",
    "public/env.js": 'window.place = "pier";',
    "public/locales/en.json": '{ "greeting": "Good morning" }',
    "src/kinds/kinds.stories.js": STORIES,
    "src/kinds/sum.worker.js": "import { sum } from './sum.js';\npostMessage(sum);",
    "src/kinds/sum.js": "export const sum = 4;",
    "src/kinds/navy.js": 'export const accent = "navy";',
    "src/kinds/olive.js": 'export const accent = "olive";',
    "src/kinds/letters.css": "@font-face { font-family: letters; src: url(/letters.woff2); }\n"
    ".letters { font: 40px letters; }",
    "src/kinds/card.css": "@import './frame.css';\n.dotted { background: url(./dot.svg); }",
    "src/kinds/frame.css": ".framed { border: 3px solid teal; }",
    "src/kinds/dot.svg": PIXEL.replace("COLOR", "blue"),
    "node_modules/sized-package/package.json": PACKAGE.replace("VERSION", "1.0.0"),
    "node_modules/sized-package/index.js": "export const width = 100;",
}


def font(project: RealProject, name: str) -> None:
    """Put one of the example's fonts where the stories expect a static one."""
    packages = project.root.parent / "node_modules" / "@fontsource-variable"
    files = packages / name / "files" / f"{name}-latin-wght-normal.woff2"
    shutil.copy(files, project.root / "public" / "letters.woff2")


@dataclass(frozen=True)
class Kind:
    """A change of one kind of file: the file, the text, and a story with the change."""

    name: str
    file: str
    text: str
    story: str
    captures_all: bool = False


KINDS = (
    Kind(
        "static JSON",
        "public/locales/en.json",
        '{ "greeting": "Hello" }',
        "kinds--locale",
        captures_all=True,
    ),
    Kind("font", "", "", "kinds--letters", captures_all=True),
    Kind("env", ".env", "STORYBOOK_HARBOR=south", "kinds--env"),
    Kind("env.js", "public/env.js", 'window.place = "beach";', "kinds--place", captures_all=True),
    Kind(
        "preview",
        ".storybook/preview.js",
        "export default { decorators: [(story) => `<b>${story()}</b>`] };",
        "kinds--framed",
        captures_all=True,
    ),
    Kind(
        "head of the preview",
        ".storybook/preview-head.html",
        '<script src="./env.js"></script><style>p { padding: 9px }</style>',
        "kinds--place",
        captures_all=True,
    ),
    Kind("config", ".storybook/main.js", MAIN.replace("silver", "pink"), "kinds--shade"),
    Kind("alias", "config/locate.js", LOCATE.replace("${name}", "olive"), "kinds--accent"),
    Kind(
        "lock file",
        "node_modules/sized-package/index.js",
        "export const width = 250;",
        "kinds--sized",
    ),
    Kind(
        "transitive CSS",
        "src/kinds/frame.css",
        ".framed { border: 9px solid red; }",
        "kinds--framed",
    ),
    Kind("image of a style", "src/kinds/dot.svg", PIXEL.replace("COLOR", "red"), "kinds--dotted"),
    Kind(
        "module of a worker",
        "src/kinds/sum.js",
        "export const sum = 400;",
        "kinds--sum",
    ),
    Kind(
        "module",
        "src/kinds/navy.js",
        'export const accent = "red";',
        "kinds--accent",
    ),
)


def write_project(folder: Path) -> RealProject:
    project = copy_example(folder)
    configuration = project.root / ".storybook"
    (configuration / "main.js").rename(configuration / "example.js")
    for name, text in FILES.items():
        project.write(name, text)
    font(project, "figtree")
    return project


def make_change(project: RealProject, kind: Kind) -> None:
    if kind.name == "font":
        font(project, "jetbrains-mono")
        return
    project.write(kind.file, kind.text)
    if kind.name == "lock file":
        lock = (project.root / "package-lock.json").read_text()
        project.write("package-lock.json", lock.replace("{", '{\n  "comment": "1.0.1",', 1))


@dataclass(frozen=True)
class Baseline:
    job: CiJob
    project: RealProject

    def publish(self, project: RealProject, branch: str, *flags: str) -> dict[str, Any]:
        return self.job.publish_json(
            project.built, "--project-root", str(project.root), "--branch", branch, *flags
        )


def is_detected(job: CiJob) -> bool:
    with Service(job.server.url, job.token, on_retry=lambda *_: None) as service:
        return not service.plan({"branch": "main"}).detection_armed


@pytest.fixture(scope="module")
def baseline(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    folder = tmp_path_factory.mktemp("kinds")
    job = connect_repository(server, folder)
    server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["phone"])
    # The first build is captured in all variants; one story shows all as well as fifty.
    job.publish_json(storybook(folder / "first", "calm--first"))
    wait_until("detection has ended", lambda: is_detected(job))
    made = Baseline(job, write_project(folder / "base").build())
    made.publish(made.project, "main")
    job.approve_newest()
    return made


def differences(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(item["storyId"], item["diffState"]) for item in document["build"]["toReview"]}


def test_a_second_build_of_the_same_sources_captures_nothing(
    baseline: Baseline, tmp_path: Path
) -> None:
    again = baseline.project.copy_to(tmp_path).build()
    assert again.hashes() == baseline.project.hashes()
    document = baseline.publish(again, "again", "--partial")
    # A story that always fails has no image in the baseline, so each run tries the story again.
    assert document["screenshots"] == document["failedCaptures"] == 1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_partial_build_finds_what_a_full_build_finds(
    baseline: Baseline, tmp_path: Path, kind: Kind
) -> None:
    changed = baseline.project.copy_to(tmp_path)
    make_change(changed, kind)
    changed.build()
    branch = kind.name.replace(" ", "-")
    full = baseline.publish(changed, f"{branch}-full")
    partial = baseline.publish(changed, branch, "--partial")
    assert (kind.story, "changed") in differences(full)
    assert differences(partial) == differences(full)
    assert (partial["screenshots"] == full["screenshots"]) == kind.captures_all
