"""Reports of JUnit and mochawesome, and the cases shown in each video."""

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.ci.reports import mocha_test, mochawesome, touch
from visual_review.client.recordings.case_index import (
    Case,
    CaseIndex,
    PathEnds,
    ReportError,
    slugify,
)
from visual_review.client.recordings.found_videos import LinkedTest, Video
from visual_review.client.recordings.report_formats import find_videos

CYPRESS_JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Mocha Tests" time="2.1" tests="2" failures="1">
  <testsuite name="Root Suite" timestamp="2026-03-01T12:00:00" file="cypress/e2e/login.cy.js"/>
  <testsuite name="Sign in" timestamp="2026-03-01T12:00:00" tests="2">
    <testcase name="Sign in works" time="1.5" classname="works"/>
    <testcase name="Sign in fails" time="0.6" classname="fails">
      <failure message="expected true" type="AssertionError"><![CDATA[expected true
    at login.cy.js:7]]></failure>
    </testcase>
  </testsuite>
</testsuites>"""


def junit(folder: Path, *cases: str) -> Path:
    text = f"<testsuite name='s'>{''.join(cases)}</testsuite>"
    return touch(folder / "junit.xml", text.encode())


def videos(folder: Path, report: Path) -> list[Video]:
    return find_videos(folder, [report]).videos


def titles(folder: Path, report: Path) -> dict[str, str]:
    return {
        each.path.relative_to(folder).as_posix(): each.test.title if each.test else ""
        for each in videos(folder, report)
    }


def test_a_spec_of_cypress_is_one_recording_with_its_tests_as_steps(tmp_path: Path) -> None:
    path = touch(tmp_path / "videos" / "login.cy.js.mp4")
    shot = touch(tmp_path / "screenshots" / "login.cy.js" / "Sign in -- fails (failed).png")
    failing = mocha_test(
        "fails", **{"pass": False}, fail=True, state="failed", err={"message": "expected true"}
    )
    report = mochawesome(tmp_path, "cypress/e2e/login.cy.js", mocha_test("works"), failing)
    [video] = videos(tmp_path, report)
    assert video.path == path
    assert video.test == LinkedTest("cypress/e2e/login.cy.js", "", "login.cy.js")
    assert video.outcome == "failed"
    assert video.error.endswith("fails\nexpected true")
    assert [(each.start_ms, each.duration_ms) for each in video.steps] == [(0, 400), (400, 400)]
    assert [each.path for each in video.attachments] == [shot]


def test_cypress_with_the_junit_reporter_gives_the_same(tmp_path: Path) -> None:
    touch(tmp_path / "videos" / "login.cy.js.mp4")
    report = touch(tmp_path / "junit.xml", CYPRESS_JUNIT.encode())
    [video] = videos(tmp_path, report)
    assert video.test == LinkedTest("cypress/e2e/login.cy.js", "", "login.cy.js")
    assert (video.outcome, video.duration_ms) == ("failed", 2100)
    assert "at login.cy.js:7" in video.error


def test_a_video_that_another_report_has_is_no_problem(tmp_path: Path) -> None:
    reports = []
    for name in ("login", "profile"):
        touch(tmp_path / "videos" / f"{name}.cy.js.mp4")
        folder = tmp_path / "reports" / name
        # By its name, the test of the other file could also be the video's test.
        test = mocha_test("profile" if name == "login" else "shows the name")
        reports.append(mochawesome(folder, f"cypress/e2e/{name}.cy.js", test))
    touch(tmp_path / "videos" / "other.mp4")
    for order in (reports, reports[::-1]):
        found = find_videos(tmp_path, order)
        assert {each.path.name: each.title for each in found.videos} == {
            "login.cy.js.mp4": "cypress/e2e/login.cy.js",
            "profile.cy.js.mp4": "cypress/e2e/profile.cy.js",
            "other.mp4": "videos/other.mp4",
        }
        assert found.notes == ["videos/other.mp4: no report has a test for it."]


def test_specs_of_the_same_name_are_distinguished_by_their_folders(tmp_path: Path) -> None:
    for folder in ("admin", "shop"):
        touch(tmp_path / "videos" / folder / "login.cy.js.mp4")
    cases = [
        f"<testcase name='{f}' file='cypress/e2e/{f}/login.cy.js'/>" for f in ("admin", "shop")
    ]
    found = videos(tmp_path, junit(tmp_path, *cases))
    assert [each.title for each in found] == [
        "cypress/e2e/admin/login.cy.js",
        "cypress/e2e/shop/login.cy.js",
    ]


def test_a_case_that_names_its_files_has_them(tmp_path: Path) -> None:
    touch(tmp_path / "videos" / "1.mp4")
    touch(tmp_path / "trace.zip")
    output = "<system-out>\n[[ATTACHMENT|videos/1.mp4]]\n[[ATTACHMENT|trace.zip]]</system-out>"
    report = junit(
        tmp_path, f"<testcase name='works' classname='login' time='1,000.5'>{output}</testcase>"
    )
    [video] = videos(tmp_path, report)
    assert video.test == LinkedTest("", "login", "works")
    assert video.duration_ms == 1_000_500
    assert [each.name for each in video.attachments] == ["trace.zip"]


def test_other_videos_are_matched_by_the_names_of_their_cases(tmp_path: Path) -> None:
    for name in ("test-login-works-chromium", "test-login", "test-logout", "test-profile"):
        touch(tmp_path / name / "video.webm")
    names = ("test_login", "test_login_works", "test_logout[a]", "test_logout[b]")
    report = junit(tmp_path, *(f"<testcase name='{name}' classname='t'/>" for name in names))
    assert titles(tmp_path, report) == {
        "test-login-works-chromium/video.webm": "test_login_works",
        "test-login/video.webm": "test_login",
        # Nothing is guessed.
        "test-logout/video.webm": "",
        "test-profile/video.webm": "",
    }


def test_equal_names_are_distinguished_by_their_classes(tmp_path: Path) -> None:
    touch(tmp_path / "admin-works.webm")
    cases = [f"<testcase name='works' classname='{name}'/>" for name in ("admin", "shop")]
    [video] = videos(tmp_path, junit(tmp_path, *cases))
    assert video.test is not None
    assert video.test.suite == "admin"


@pytest.mark.parametrize(
    ("inside", "outcome"),
    [
        ("", "passed"),
        ("<failure message='no'/>", "failed"),
        ("<error/>", "failed"),
        ("<skipped/>", "skipped"),
        ("<flakyFailure message='once'/>", "flaky"),
    ],
)
def test_every_kind_of_case_has_its_outcome(tmp_path: Path, inside: str, outcome: str) -> None:
    touch(tmp_path / "works.webm")
    [video] = videos(tmp_path, junit(tmp_path, f"<testcase name='works'>{inside}</testcase>"))
    assert video.outcome == outcome


def test_entities_are_rejected_before_they_expand(tmp_path: Path) -> None:
    bomb = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    text = (
        f'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY e0 "ha">{bomb}]><testsuite>&e9;</testsuite>'
    )
    report = touch(tmp_path / "junit.xml", text.encode())
    with pytest.raises(ReportError, match=r"junit\.xml, line 2: a document type is not allowed"):
        find_videos(tmp_path, [report])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<testsuite>\n<testcase>", "junit.xml, line 2, column 11: "),
        ("<html/>", "the root is <html>"),
        ("<a>" * 200, "nested deeper than 100"),
        ("", "line 1"),
        ('<?xml version="1.0" encoding="klingon"?><testsuite/>', "junit.xml"),
    ],
)
def test_the_error_of_xml_that_is_not_a_report_has_the_position(
    tmp_path: Path, text: str, message: str
) -> None:
    report = touch(tmp_path / "junit.xml", text.encode())
    with pytest.raises(ReportError) as caught:
        find_videos(tmp_path, [report])
    assert message in str(caught.value)


WORDS = st.lists(st.sampled_from(["a", "b", "cc", "É"]), max_size=3)
NAMES = st.tuples(WORDS, st.sampled_from(["-", "_", " "])).map(
    lambda drawn: drawn[1].join(drawn[0])
)
PATHS = st.lists(st.sampled_from(["a", "b", "cc.js", "a.js"]), min_size=1, max_size=3).map("/".join)
CASES = st.lists(
    st.builds(Case, name=NAMES, suite=NAMES, file=st.just("") | PATHS, outcome=st.just("passed")),
    max_size=5,
)


def matching(video: str, cases: list[Case]) -> Case | None:
    slug = slugify(str(PurePosixPath(video).with_suffix("")))
    scored: list[tuple[tuple[int, int], Case]] = []
    for case in cases:
        name = slugify(case.name)
        if name.strip("-") and name in slug:
            texts = map(slugify, (case.suite, case.file, PurePosixPath(case.file).stem))
            origin = max((len(text) for text in texts if text in slug), default=0)
            scored.append(((len(name), origin), case))
    best = [case for score, case in scored if score == max(scored, key=lambda s: s[0])[0]]
    return best[0] if len(best) == 1 else None


def common_end(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    length = 0
    for mine, theirs in zip(reversed(one), reversed(other), strict=False):
        if mine != theirs:
            break
        length += 1
    return length


@given(PATHS, CASES)
def test_the_longest_name_and_then_the_longest_origin_match(video: str, cases: list[Case]) -> None:
    assert CaseIndex(cases).best_match(f"{video}.webm") is matching(f"{video}.webm", cases)


@given(st.lists(PATHS, unique=True, max_size=5), PATHS)
def test_the_longest_common_end_is_found_if_only_one_path_has_it(
    paths: list[str], wanted: str
) -> None:
    ends: PathEnds[str] = PathEnds()
    for path in paths:
        ends.add(PurePosixPath(path).parts, path)
    parts = PurePosixPath(wanted).parts
    lengths = {path: common_end(PurePosixPath(path).parts, parts) for path in paths}
    longest = max(lengths.values(), default=0)
    best = [path for path in paths if longest and lengths[path] == longest]
    assert ends.find(parts) == (longest, best[0] if len(best) == 1 else None)


def test_thousands_of_videos_are_matched_with_as_many_cases() -> None:
    number = 3_000
    cases = [
        Case("works", f"suite {each}", f"specs/{each}/login.js", "passed") for each in range(number)
    ]
    index = CaseIndex(cases)
    found = [index.best_match(f"videos/suite-{each}/works.webm") for each in range(number)]
    assert found == cases
    [last] = index.cases_of_file(f"videos/{number - 1}/login.js.mp4", whole=True)
    assert last is cases[-1]
    assert index.cases_of_file("videos/login.js.mp4", whole=True) == []
