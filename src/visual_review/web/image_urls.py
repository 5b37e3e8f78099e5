"""URLs of a repository's images on our own origin, for people who are signed in."""


def image_url(repository_id: str, sha256: str) -> str:
    return f"/repositories/{repository_id}/images/{sha256}.png"


def diff_url(repository_id: str, comparison_key: str) -> str:
    return f"/repositories/{repository_id}/diffs/{comparison_key}.png"
