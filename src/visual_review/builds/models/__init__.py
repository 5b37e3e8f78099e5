"""Builds, screenshots, images, baselines, the review log, threads and the outbox, without rules."""

from visual_review.builds.models.baseline_versions import BaselineEntry, BaselineVersion
from visual_review.builds.models.baselines import Baseline
from visual_review.builds.models.builds import AUTHOR_LENGTH, Build, BuildShard
from visual_review.builds.models.images import SHA256_LENGTH, BlobDeletion, Comparison, Image
from visual_review.builds.models.outbox import HostMessage
from visual_review.builds.models.pull_requests import COMMIT_LENGTH, PullRequest
from visual_review.builds.models.review_log import DecisionBatch, ImageView, ReviewEntry
from visual_review.builds.models.reviewers import RequestedReviewer, StorySources
from visual_review.builds.models.screenshots import ChangeGroup, Screenshot
from visual_review.builds.models.threads import Comment, Thread

__all__ = [
    "AUTHOR_LENGTH",
    "COMMIT_LENGTH",
    "SHA256_LENGTH",
    "Baseline",
    "BaselineEntry",
    "BaselineVersion",
    "BlobDeletion",
    "Build",
    "BuildShard",
    "ChangeGroup",
    "Comment",
    "Comparison",
    "DecisionBatch",
    "HostMessage",
    "Image",
    "ImageView",
    "PullRequest",
    "RequestedReviewer",
    "ReviewEntry",
    "Screenshot",
    "StorySources",
    "Thread",
]
