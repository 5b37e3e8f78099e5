"""A small project with a built Storybook, whose sources are known."""

import json
from pathlib import Path
from typing import Final

from tests.support.ci.job import storybook
from tests.support.source_project import make_stats, write, write_json

STORIES: Final = {
    "calm--first": "./first.stories.js",
    "calm--second": "./second.stories.js",
    "parameters--skipped": "./skipped.stories.js",
}
IMPORTS: Final = {
    "/virtual:/app.js": ["./.storybook/preview.js", *STORIES.values()],
    "./second.stories.js": ["./src/second.js"],
}


def make_project(folder: Path) -> Path:
    built = storybook(folder / "storybook-static", *STORIES)
    index = json.loads((built / "index.json").read_text(encoding="utf-8"))
    for name, path in STORIES.items():
        index["entries"][name]["importPath"] = path
        write(folder / path, name)
    write_json(built / "index.json", index)
    write_json(built / "preview-stats.json", make_stats(IMPORTS))
    write(folder / ".storybook" / "preview.js", "export default {}")
    write(folder / "src" / "second.js", "second")
    return folder
