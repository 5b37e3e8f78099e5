"""URLs of a repository's images on our own origin, for people who are signed in."""

from django.urls import reverse


def image_url(repository_id: str, sha256: str) -> str:
    return reverse("repository_image", args=[repository_id, sha256])


def diff_url(repository_id: str, comparison_key: str) -> str:
    return reverse("repository_diff", args=[repository_id, comparison_key])
