"""The enumerations of inputs and results, published by schemas as components with a name."""

from typing import Final, NamedTuple, get_args

from visual_review.actions.build_results import Source
from visual_review.actions.extended.list_changes import DecisionFilter, State
from visual_review.actions.extended.review_results import DecisionResultState
from visual_review.builds import states as build_states
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.images.requested_images import Form
from visual_review.builds.reviewing.requests import BatchDecision, Confirmation
from visual_review.recordings import states as recording_states
from visual_review.repositories.capture_rules import MatrixSource
from visual_review.variants import Device, Theme


class Enumeration(NamedTuple):
    """A Literal in its published form; models use the Literal itself."""

    name: str
    values: tuple[str, ...]
    description: str


# A property of one of these types refers to the component: no two may have the same values.
ENUMERATIONS: Final = tuple(
    Enumeration(name, get_args(literal), description)
    for name, literal, description in (
        ("Theme", Theme, "The color scheme of a variant."),
        ("Device", Device, "The device of a variant."),
        ("MatrixSource", MatrixSource, "What decided which variants are captured."),
        (
            "BuildStatus",
            build_states.Status,
            "What the service has done with a build; only a completed one can be decided.",
        ),
        (
            "ListedBuildStatus",
            build_states.PublishedStatus,
            "What the service has done with a listed build: its upload is over.",
        ),
        (
            "DiffState",
            build_states.DiffState,
            "What the comparison of a screenshot with the baseline found.",
        ),
        ("Decision", build_states.Decision, "The decision on a screenshot."),
        ("ReviewState", build_states.ReviewState, "The decision on a build."),
        ("DecisionSource", Source, "Where a decision came from."),
        ("ChangeKind", ChangeKind, "What happened to an area or a screenshot."),
        ("BaselineRule", Rule, "Which branch's baseline a build is compared with."),
        (
            "RecordingStatus",
            recording_states.Status,
            "What the service has done with a recording's video.",
        ),
        ("ListedState", State, "What the comparison found of a screenshot with a number."),
        ("ListedDecision", DecisionFilter, "The decision on a screenshot, or that it has none."),
        ("ImageForm", Form, "How an image shows changes."),
        ("BatchDecision", BatchDecision, "A decision of a request; cleared leaves none."),
        ("Confirmation", Confirmation, "What a request may do because it says so."),
        ("DecisionOutcome", DecisionResultState, "What became of a decision of a request."),
        ("TestOutcome", recording_states.Outcome, "How the test of a recording ended."),
    )
)
