"""The service's settings, but documents of clients may lie on this machine."""

from visual_review.config.settings import *  # noqa: F403 - All of them.
from visual_review.config.settings import OAUTH2_PROVIDER as REAL

OAUTH2_PROVIDER = {
    **REAL,
    "CIMD_METADATA_FETCHER": "tests.servers.client_documents.LocalFetcher",
}
