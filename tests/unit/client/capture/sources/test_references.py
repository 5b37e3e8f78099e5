"""What a text mentions, in every form, and texts that no one writes."""

import time
from pathlib import Path

import pytest

from tests.support.source_project import write
from visual_review.client.capture.sources.references import References


@pytest.mark.parametrize(
    ("file", "text", "mentioned"),
    [
        ("src/a.js", "import b from './b'", "src/b.ts"),
        ("src/a.js", "import b from './b.js'", "src/b.ts"),
        ("src/a.js", "const b = await import(`../lib`)", "lib/index.js"),
        ("src/a.js", "new Worker(new URL('./w.js?worker', import.meta.url))", "src/w.js"),
        ("src/a.tsx", 'import x from "@/tokens"', "src/tokens.json"),
        ("src/a.vue", "<style>@import './deep/_base.scss';</style>", "src/deep/_base.scss"),
        ("src/a.scss", '@use "deep/base" as *;', "src/deep/_base.scss"),
        ("src/a.css", "a { background: url(deep/dot.png) }", "src/deep/dot.png"),
        ("src/a.less", '@import (reference) "deep/mix.less";', "src/deep/mix.less"),
        ("src/a.css", "a { composes: b from './deep/mix.less' }", "src/deep/mix.less"),
        ("src/a.css", "a { background: url('/logo.svg') }", "public/logo.svg"),
    ],
)
def test_a_file_that_is_mentioned_is_found(
    tmp_path: Path, file: str, text: str, mentioned: str
) -> None:
    for name in ("src/b.ts", "lib/index.js", "src/w.js", "src/tokens.json", "public/logo.svg"):
        write(tmp_path / name, "")
    for name in ("src/deep/_base.scss", "src/deep/dot.png", "src/deep/mix.less"):
        write(tmp_path / name, "")
    write(tmp_path / file, text)
    assert References(tmp_path).mentions(tmp_path / file) == {tmp_path / mentioned}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.css", "a-" * 500_000),
        ("a.css", "url(" * 300_000),
        ("a.css", "@use a" + " " * 500_000),
        ("a.css", "from '" * 300_000),
        ("a.js", "from" + " " * 500_000),
        ("a.js", '"./' + "a" * 1_000_000),
    ],
)
def test_no_text_takes_long(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / name, text)
    started = time.process_time()
    References(tmp_path).mentions(tmp_path / name)
    assert time.process_time() - started < 1.5
