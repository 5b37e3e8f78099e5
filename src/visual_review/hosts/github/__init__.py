"""GitHub and GitHub Enterprise, as an app or with a personal token."""

from visual_review.hosts.github.factory import api_of, open_github
from visual_review.hosts.github.host import GitHubHost
from visual_review.hosts.github.webhooks import GitHubDeliveries

__all__ = ["GitHubDeliveries", "GitHubHost", "api_of", "open_github"]
