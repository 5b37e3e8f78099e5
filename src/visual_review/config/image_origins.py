"""Where pages load pictures from: this service, or the S3 server that signed links lead to."""

from urllib.parse import parse_qsl, urlsplit

AMAZON = "https://{place}.amazonaws.com"


def image_origins(public_url: str, storage_url: str) -> list[str]:
    """The origins beside the page's own, for its Content-Security-Policy."""
    origins = [_origin(public_url)]
    storage = urlsplit(storage_url)
    if storage.scheme == "s3":
        origins += _s3_origins(storage.netloc, dict(parse_qsl(storage.query)))
    return origins


def _s3_origins(bucket: str, options: dict[str, str]) -> list[str]:
    region = options.get("region", "us-east-1")
    endpoint = options.get("endpoint") or AMAZON.format(place=f"s3.{region}")
    place = urlsplit(endpoint)
    if options.get("style") == "virtual" and not place.netloc.startswith(f"{bucket}."):
        return [f"{place.scheme}://{bucket}.{place.netloc}"]
    return [_origin(endpoint)]


def _origin(url: str) -> str:
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc}"
