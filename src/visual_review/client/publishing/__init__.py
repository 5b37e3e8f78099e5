"""Publishes a Storybook or a folder of images as a build and waits for the verdict."""

from visual_review.client.progress import Reporter
from visual_review.client.publishing.publish import Outcome, Request, Scope, Verdict, publish
from visual_review.client.publishing.responses import Service
from visual_review.client.publishing.story_explanation import StoryExplanation, explain_story
from visual_review.client.transport.errors import InputError, PublishError, ServiceError
from visual_review.client.transport.retry import RetryPolicy

__all__ = [
    "InputError",
    "Outcome",
    "PublishError",
    "Reporter",
    "Request",
    "RetryPolicy",
    "Scope",
    "Service",
    "ServiceError",
    "StoryExplanation",
    "Verdict",
    "explain_story",
    "publish",
]
