"""The origins of the pages' images: the service, or the S3 server of signed links."""

from urllib.parse import parse_qsl, urlsplit

AMAZON_URL = "https://{host}.amazonaws.com"


def image_origins(public_url: str, storage_url: str) -> list[str]:
    """Return the origins to allow in the Content-Security-Policy."""
    origins = [_origin(public_url)]
    storage = urlsplit(storage_url)
    if storage.scheme == "s3":
        origins += _s3_origins(storage.netloc, dict(parse_qsl(storage.query)))
    return origins


def _s3_origins(bucket: str, options: dict[str, str]) -> list[str]:
    region = options.get("region", "us-east-1")
    endpoint = options.get("endpoint") or AMAZON_URL.format(host=f"s3.{region}")
    parts = urlsplit(endpoint)
    if options.get("style") == "virtual" and not parts.netloc.startswith(f"{bucket}."):
        return [f"{parts.scheme}://{bucket}.{parts.netloc}"]
    return [_origin(endpoint)]


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
