"""No result is above 10,000 tokens or 1 MB, with text, structured content and links."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import rounds
from tests.support.mcp.results import (
    MAX_TOKENS,
    ParsedResult,
    build_fields,
    decided,
    full_build,
    listed_build,
    render_checked,
    render_parsed,
    rest_shape,
    screenshot,
    texts,
)
from visual_review.actions.build_results import BuildResult
from visual_review.actions.published import (
    get_build,
    get_recording,
    list_builds,
    list_recordings,
    list_repos,
)
from visual_review.actions.published.get_recording import AttachmentResult, FullRecording
from visual_review.actions.recording_results import LinkedTestResult, RecordingResult, StepResult
from visual_review.actions.results import RepositoryResult
from visual_review.actions.schema import ActionResult
from visual_review.actions.screenshot_results import ScreenshotResult
from visual_review.api.mcp.rendering import LEFT_OUT
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.states import DIFFERENCES

STATES = ("changed", "new", "removed", "failed", "unchanged", "pending")


@dataclass(frozen=True)
class ScreenshotKind:
    """One of the few kinds of screenshots repeated in a made build."""

    state: str
    # Hypothesis warns of values with a long representation.
    story: str = field(repr=False)
    message: str = field(repr=False)
    decided: dict[str, Any] | None = field(repr=False)

    def shot(self, number: int) -> ScreenshotResult:
        decision = ("approved", "rejected", None)[number % 3] if self.decided else None
        return screenshot(
            number,
            # Most stories differ, and many a hostile name begins alike.
            f"{self.story[:290]}{number // 4}",
            self.state,
            message=self.message,
            comment=self.message or None,
            decided=self.decided if decision else None,
            review_decision=decision,
        )


kinds = st.builds(
    ScreenshotKind,
    st.sampled_from(STATES),
    texts,
    texts,
    st.none() | st.just(decided()) | st.builds(decided, texts, st.just("mcp"), texts),
)


@given(
    st.lists(kinds, min_size=1, max_size=5),
    st.sampled_from([0, 1, 4, 20, 60, 300, 2000]),
    texts,
)
@settings(max_examples=rounds(10, 25))
def test_no_build_is_too_long_and_each_keeps_the_shape_of_rest(
    mixed: list[ScreenshotKind], count: int, text: str
) -> None:
    found = [mixed[number % len(mixed)].shot(number) for number in range(count)]
    facts = {"message": text, "failure": text, "branch": text[:255], "base_branch": text[:255]}
    result = full_build(found, decided=decided(text, "mcp", text), pull_request=1, **facts)
    rendered = render_checked(result, "get_build")
    shown = get_build.Result.model_validate(rest_shape(rendered)).build.screenshots
    assert {shot.id for shot in shown} <= {shot.id for shot in found}
    if LEFT_OUT not in rendered.structured:
        assert len(shown) == len(found)
        return
    # Undecided changes stand before all else.
    waiting = [shot.diff_state in DIFFERENCES and not shot.review_decision for shot in shown]
    assert waiting == sorted(waiting, reverse=True)


@given(st.sampled_from([0, 25, 200, 1000]), texts)
@settings(max_examples=rounds(8, 15))
def test_no_list_of_builds_is_too_long(count: int, text: str) -> None:
    branch, by = text[:255], decided(text[:300], "mcp", text[:300])
    fields = build_fields(branch=branch, commit=text[:64], decided=by)
    build = BuildResult.model_validate(fields)
    result = list_builds.Result(builds=[build] * count, more=False)
    rendered = render_checked(result, "list_builds")
    kept = list_builds.Result.model_validate(rest_shape(rendered)).builds
    assert (LEFT_OUT in rendered.structured) == (len(kept) < count)
    # A list shortened here has more, too.
    assert rendered.structured["more"] == (len(kept) < count)
    if len(kept) < count:
        assert f"{count - len(kept):,} of {count:,} builds" in rendered.text
        assert rendered.structured[LEFT_OUT] in rendered.text


@pytest.mark.parametrize("count", [0, 10, 5000])
def test_no_list_of_repositories_is_too_long(count: int) -> None:
    repo = RepositoryResult(
        id="repo_" + "0" * 26, full_name=f"acme/{'x' * 290}", default_branch="b" * 255,
        created_at="2026-01-02T03:04:05Z",
    )  # fmt: skip
    rendered = render_checked(list_repos.Result(repos=[repo] * count, more=False), "list_repos")
    kept = list_repos.Result.model_validate(rest_shape(rendered)).repos
    assert (LEFT_OUT in rendered.structured) == (len(kept) < count)


class LaterResult(ActionResult):
    """A result of a future action, unknown to the renderer."""

    title: str
    video_url: str
    duration: float
    linked: list[dict[str, str]]
    test: dict[str, Any]


@given(st.sampled_from([0, 1, 30, 300]), texts, texts)
@settings(max_examples=rounds(8, 15))
def test_results_of_later_actions_are_rendered_within_the_limit(
    count: int, text: str, other: str
) -> None:
    linked = [{"name": text, "file": other}] * count
    result = LaterResult(
        title=text, video_url="https://s3.example/v?sig=" + "a" * 900, duration=1.5, linked=linked,
        test={"text": other, "steps": [other] * count, "retried": True, "owner": None},
    )  # fmt: skip
    rendered = render_parsed(result)
    assert count_tokens(rendered.text) + count_tokens(rendered.encoded) <= MAX_TOKENS
    LaterResult.model_validate(rest_shape(rendered))
    assert result.video_url in rendered.text
    for line in rendered.text.splitlines():
        assert line.isprintable()


def test_a_small_build_is_exactly_the_result_of_rest() -> None:
    result = full_build([screenshot(0, "a"), screenshot(1, "a", "unchanged")])
    rendered = render_checked(result, "get_build")
    assert rendered.structured == result.model_dump(mode="json")


def test_a_large_build_omits_unchanged_screenshots_then_urls_then_the_last_ones() -> None:
    few = [screenshot(number, f"s-{number}") for number in range(5)]
    many = [screenshot(number, f"s-{number}") for number in range(10, 500)]
    unchanged = [screenshot(number, f"u-{number}", "unchanged") for number in range(1000, 1500)]
    small = render_checked(full_build([*few, *unchanged]), "get_build")
    large = render_checked(full_build([*many, *unchanged]), "get_build")
    assert small.structured[LEFT_OUT].startswith("500 unchanged screenshots. ")
    assert [shot["afterUrl"] is None for shot in kept(small)] == [False] * 5
    assert large.structured[LEFT_OUT].startswith("500 unchanged screenshots, ")
    assert f"{490 - len(kept(large))} of 490 other screenshots" in large.structured[LEFT_OUT]
    assert "the image URLs" in large.structured[LEFT_OUT]
    assert {shot["afterUrl"] for shot in kept(large)} == {None}


def kept(rendered: ParsedResult) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rendered.structured["build"]["screenshots"]
    return found


def test_approved_screenshots_do_not_fill_a_result() -> None:
    by = {"review_decision": "approved", "decided": decided()}
    shots = [screenshot(number, f"s-{number}", **by) for number in range(500)]
    rendered = render_checked(
        full_build(shots, review_state="approved", decided=decided()), "get_build"
    )
    assert count_tokens(rendered.text) < 700
    assert count_tokens(rendered.encoded) <= 5_500


@pytest.mark.parametrize("count", [1, 25])
def test_lists_of_the_default_length_are_complete(count: int) -> None:
    result = list_builds.Result(builds=[listed_build(number=n) for n in range(count)], more=False)
    assert render_checked(result, "list_builds").structured == result.model_dump(mode="json")


def test_a_typical_page_of_builds_is_complete() -> None:
    builds = [
        listed_build(
            id="build_01m7ywrh7v2zbzg851q0anrxpj",
            url="https://review.example.com/builds/build_01m7ywrh7v2zbzg851q0anrxpj",
            branch="feature/a-branch-of-usual-length",
            commit="1f3870be274f6c49b3e31a0c6728957f3a9d5e21",
            pull_request=1234,
            diff_count=69,
            decided=decided("Alice Liddell", "mcp", "Claude Code"),
        )
        for _ in range(25)
    ]
    result = list_builds.Result(builds=builds, more=False)
    assert render_parsed(result).structured == result.model_dump(mode="json")


def test_a_list_that_ends_at_its_limit_says_that_there_are_older_ones() -> None:
    for more in (False, True):
        rendered = render_parsed(list_builds.Result(builds=[listed_build()], more=more))
        assert ("There are older builds; a higher limit returns more" in rendered.text) == more


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_regions_of_many_variants_are_counted_and_shortened(count: int) -> None:
    region = {"x": 0.1, "y": 0, "width": 0.25, "height": 0.05}
    variant = {"theme": "light", "device": "phone"}
    listed = [
        {"story_id": f"story-{number}", "variant": variant, "regions": [region]}
        for number in range(count)
    ]
    result = full_build([screenshot(1, "story-0")], dynamic_regions=listed)
    rendered = render_checked(result, "get_build")
    kept = rendered.structured["build"]["dynamicRegions"]
    assert ("Story variants with dynamic regions" in rendered.text) == (count > 0)
    assert len(kept) == count or f"regions of {count - len(kept):,} variants" in rendered.text


ID = "0" * 26
ADDRESS = f"https://s3.example/{'k' * 200}?signature={'a' * 900}"


def facts(text: str) -> dict[str, object]:
    return {
        "id": f"rec_{ID}",
        "title": text,
        "product_key": "default",
        "test": LinkedTestResult(id=f"test_{ID}", suite=text, title=text, file=text),
        "project": text,
        "outcome": "failed",
        "retry": 1,
        "status": "ready",
        "duration_ms": 1234,
        "branch": text[:255],
        "commit": text[:64],
        "pull_request": 1,
        "created_at": "2026-01-02T03:04:05.000Z",
        "url": f"http://127.0.0.1:8000/recordings/rec_{ID}",
    }


@given(st.sampled_from([0, 1, 60, 2000]), st.sampled_from([0, 1, 40]), texts, texts)
@settings(max_examples=rounds(8, 25))
def test_no_recording_is_too_long(steps: int, attachments: int, text: str, error: str) -> None:
    step = StepResult(title=text, start_ms=5, duration_ms=1, story_id=text[:300] or None)
    file = AttachmentResult(
        name=text[:200], content_type="text/plain", size=1, url=ADDRESS, failure=None
    )
    full = FullRecording.model_validate(
        {
            **facts(text),
            "repo_id": f"repo_{ID}",
            "head_repository": text[:255],
            "failure": error,
            "error": error * 20,
            "steps": [step] * steps,
            "test_duration_ms": 1,
            "ran_at": None,
            "width": 1,
            "height": 1,
            "video_url": ADDRESS,
            "poster_url": ADDRESS,
            "original_url": ADDRESS,
            "links_expire_at": "2026-01-02T04:04:05.000Z",
            "attachments": [file] * attachments,
        }
    )
    result = render_checked(get_recording.Result(recording=full), "get_recording")
    get_recording.Result.model_validate(rest_shape(result))
    assert ADDRESS in result.text
    for line in result.text.splitlines():
        assert line.isprintable()


@pytest.mark.parametrize("count", [1, 50, 1000])
@given(text=texts)
@settings(max_examples=rounds(3, 5))
def test_no_list_of_recordings_is_too_long(count: int, text: str) -> None:
    row = RecordingResult.model_validate(facts(text))
    result = render_checked(
        list_recordings.Result(recordings=[row] * count, more=False), "list_recordings"
    )
    list_recordings.Result.model_validate(rest_shape(result))
