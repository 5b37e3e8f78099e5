"""GitHub and GitHub Enterprise, as an app or with a personal token."""

from visual_review.hosts.github.deliveries import GitHubDeliveries
from visual_review.hosts.github.host import GitHubHost
from visual_review.hosts.github.opening import api_of, open_github

__all__ = ["GitHubDeliveries", "GitHubHost", "api_of", "open_github"]
