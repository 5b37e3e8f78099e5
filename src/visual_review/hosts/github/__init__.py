"""GitHub and GitHub Enterprise, as an app or with a personal token."""

from visual_review.hosts.github.factory import github_api_url, open_github
from visual_review.hosts.github.host import GitHubHost
from visual_review.hosts.github.webhooks import GitHubWebhookReader

__all__ = ["GitHubHost", "GitHubWebhookReader", "github_api_url", "open_github"]
