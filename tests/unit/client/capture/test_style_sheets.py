"""The style sheets loaded by the story files of a built Storybook."""

from pathlib import Path

from visual_review.client.capture.leftovers import Leftovers
from visual_review.client.capture.preview_page import read_style_sheets
from visual_review.client.capture.stories import Story

PREVIEW = "http://host/docs/iframe.html?viewMode=story"
SCRIPT = """const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[%s])))=>i.map(i=>d[i]);
let s={"./a.stories.js":()=>i(()=>import(`./a.stories-x.js`),__vite__mapDeps([0,1,3]),import.meta.url),\
"./b.stories.ts":async()=>t(()=>import("./b.stories-x.js"),__vite__mapDeps([3,2,1]),import.meta.url),\
"./c.stories.ts":async()=>t(()=>import("./c.js"),__vite__mapDeps([]),import.meta.url)};"""
FILES = '"./a.stories-x.js","./a.css","./b.js","./shared.css"'


def build(folder: Path, script: str, page: str = "./assets/iframe.js") -> Path:
    (folder / "assets").mkdir()
    (folder / "assets" / "iframe.js").write_text(script, encoding="utf-8")
    text = f'<script type="module" src="{page}"></script>'
    (folder / "iframe.html").write_text(text, encoding="utf-8")
    return folder


def test_each_file_has_its_sheets_in_the_order_of_loading(tmp_path: Path) -> None:
    assets = "http://host/docs/assets"
    assert read_style_sheets(build(tmp_path, SCRIPT % FILES), PREVIEW) == {
        "./a.stories.js": (f"{assets}/a.css", f"{assets}/shared.css"),
        "./b.stories.ts": (f"{assets}/shared.css", f"{assets}/a.css"),
        "./c.stories.ts": (),
    }


def test_what_is_not_understood_is_left_out(tmp_path: Path) -> None:
    relative_to_base = FILES.replace("./shared.css", "assets/shared.css")
    folder = build(tmp_path, SCRIPT % relative_to_base)
    assert list(read_style_sheets(folder, PREVIEW)) == ["./c.stories.ts"]
    for files in ("new URL('a.css').href", '"./a.css",', '"./a.css"'):
        (folder / "assets" / "iframe.js").write_text(SCRIPT % files, encoding="utf-8")
        assert "./a.stories.js" not in read_style_sheets(folder, PREVIEW)


def test_only_scripts_of_the_storybook_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "storybook"
    folder.mkdir()
    build(folder, SCRIPT % FILES, "http://other/docs/assets/iframe.js")
    assert read_style_sheets(folder, PREVIEW) == {}
    (tmp_path / "outside.js").write_text(SCRIPT % FILES, encoding="utf-8")
    (folder / "assets" / "iframe.js").unlink()
    (folder / "assets" / "iframe.js").symlink_to(tmp_path / "outside.js")
    (folder / "iframe.html").write_text('<script type="module" src="./assets/iframe.js"></script>')
    assert read_style_sheets(folder, PREVIEW) == {}


def test_expected_sheets_are_no_reason_for_a_new_page() -> None:
    leftovers = Leftovers()
    leftovers.expect_style_sheets({"./a.js": ["http://host/b.css", "http://host/a.css"]})
    described = leftovers.describe_for(Story("a--a", "A", "A", "./a.js"), "light")
    # In the order of loading: of two equal rules the later one wins.
    assert described["known"] == ["style sheet http://host/b.css", "style sheet http://host/a.css"]
