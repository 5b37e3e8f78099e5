"""Finds the image files rendered by the last run of tests.

Snapshot folders hold the images *expected* by tests. After a failed run the folder still has the
approved images, and the new images lie elsewhere, under other names.
"""

from visual_review.client.test_results.model import OwnScreenshot, TestResult
from visual_review.client.test_results.resolve import Source, Sources, State, find_sources

__all__ = ["OwnScreenshot", "Source", "Sources", "State", "TestResult", "find_sources"]
