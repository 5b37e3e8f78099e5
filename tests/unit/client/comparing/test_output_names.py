"""Names of the report's files are accepted by every file system and artifact storage."""

from tests.support.case import Case
from visual_review.client.comparing.output_names import difference_name, portable_name


def test_ordinary_names_stay() -> None:
    for name in ("a.png", "deep/Ünï cödé (1).png", "a.b.c.webp", ".hidden.png"):
        assert portable_name(name) == name


def test_a_difference_is_a_png() -> None:
    assert difference_name("a.PNG") == "a.PNG"
    assert difference_name("b/a.jpg") == "b/a.jpg.png"


def test_other_names_change_and_stay_different(case: Case) -> None:
    names = [
        "a?.png",
        "a*.png",
        'q"<>|:.png',
        "a\n.png",
        "con.png",
        "dir. /a.png",
        "x" * 300 + ".png",
    ]
    names += ["a\\b.png", "\udcff.png", "\udcfe.png"]
    portable = [portable_name(name) for name in names]
    assert len(set(portable)) == len(names)
    for name, changed in zip(names, portable, strict=True):
        with case(repr(name)):
            assert changed != name
            assert not set(changed) & set('<>:"|?*\\\n')
            assert all(len(part.encode()) <= 210 for part in changed.split("/"))
            assert changed.endswith(".png")
            assert portable_name(changed) == changed
