"""The URLs of the CI interface, below ``/api/ci/``."""

from django.urls import path

from visual_review.api.ci.baseline import show_baseline
from visual_review.api.ci.capture_plan import capture_plan
from visual_review.api.ci.create_build import create
from visual_review.api.ci.progress import finish, show
from visual_review.api.ci.recordings import announce as announce_recording
from visual_review.api.ci.recordings import finish as finish_recording
from visual_review.api.ci.recordings import show as show_recording
from visual_review.api.ci.screenshots import announce

urlpatterns = [
    path("capture-plan", capture_plan, name="ci-capture-plan"),
    path("baseline", show_baseline, name="ci-baseline"),
    path("builds", create, name="ci-builds"),
    path("builds/<str:build_id>", show, name="ci-build"),
    path("builds/<str:build_id>/screenshots", announce, name="ci-screenshots"),
    path("builds/<str:build_id>/finish", finish, name="ci-finish"),
    path("recordings", announce_recording, name="ci-recordings"),
    path("recordings/<str:recording_id>", show_recording, name="ci-recording"),
    path("recordings/<str:recording_id>/finish", finish_recording, name="ci-recording-finish"),
]
