"""The page of a report is one file in which names from others stay text."""

import base64
import hashlib
import json
import re
from pathlib import Path

from visual_review.client.comparing.report_page import GENERATOR, INCOMPLETE_PAGE, make_page

HOSTILE = '</script><script>alert(1)</script>"@css@\udcff'


def page_of(*images: dict[str, str]) -> str:
    document = {"counts": {"changed": len(images)}, "images": list(images)}
    return make_page(document, (Path("<b>"), Path("after")), "threshold 0.1")


def test_names_end_neither_the_script_nor_an_attribute() -> None:
    page = page_of({"name": HOSTILE, "diffState": "changed", "picture": f"differences/{HOSTILE}"})
    assert page.count("</script>") == 2
    assert "<script>alert" not in page
    assert "&lt;b&gt;" in page
    found = re.search(
        r'<script type="application/json" id="document">(.*?)</script>', page, re.DOTALL
    )
    assert found is not None
    assert json.loads(found[1])["images"][0]["name"] == HOSTILE


def test_the_policy_allows_exactly_the_page_s_own_style_and_script() -> None:
    page = page_of()
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page
    assert not re.search(r"https?://", page)


def test_both_pages_carry_the_mark_near_the_beginning() -> None:
    assert GENERATOR in page_of()[:1024]
    assert GENERATOR in INCOMPLETE_PAGE[:1024]


def test_unchanged_images_are_not_in_the_list_without_scripts() -> None:
    page = page_of(
        {"name": "a.png", "diffState": "unchanged"},
        {"name": "b.png", "diffState": "failed", "message": "after: <no> image"},
    )
    listed = re.findall(r"<li>.*?</li>", page)
    assert listed == ["<li>b.png: failed after: &lt;no&gt; image</li>"]


def test_sentences_are_in_the_list_without_scripts_as_text() -> None:
    page = page_of({"name": "a.png", "diffState": "changed", "summary": "text <b>changed</b>"})
    assert "<li>a.png: changed text &lt;b&gt;changed&lt;/b&gt;</li>" in page


def test_sheets_are_linked() -> None:
    document = {"images": [], "sheets": ["sheets/sheet-1.png", "sheets/sheet 2.png"]}
    page = make_page(document, (Path("before"), Path("after")), "")
    assert '<a href="sheets/sheet-1.png">1</a> <a href="sheets/sheet%202.png">2</a>' in page
    assert "Sheets:" not in page_of()
