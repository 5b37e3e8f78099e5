"""The service's settings, with the bare view's URL."""

from visual_review.config.settings import *  # noqa: F403 - All of them, as Django reads them.

ROOT_URLCONF = "benchmarks.calls.bare_urls"
