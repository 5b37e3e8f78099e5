"""What a recording's page shows: the video, the test's steps, and the builds of the same commit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import PUBLISHED
from visual_review.recordings.models import Recording
from visual_review.web.durations import moment, seconds_of
