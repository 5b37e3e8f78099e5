"""Which case a video is named after, with the rule as it reads when each case is looked at."""

from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from visual_review.client.recordings.case import Case, slugify
from visual_review.client.recordings.case_index import CaseIndex, PathEnds

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
