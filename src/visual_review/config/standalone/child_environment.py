"""The environment of web and worker: only the variables they read, nothing personal."""

from collections.abc import Mapping

OWN = "VISUAL_REVIEW_"
# For the migration alone, which creates the first owner.
OWNER = f"{OWN}OWNER_"
PREFIXES = (OWN, "OTEL_", "LC_", "PYTHON", "MALLOC_", "OPENBLAS_", "OMP_")
NAMES = frozenset(
    {
        *("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "NO_COLOR"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    }
)


def filter_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for web and worker: no credential of anything else."""
    return {
        name: value
        for name, value in variables.items()
        if name in NAMES or (name.startswith(PREFIXES) and not name.startswith(OWNER))
    }


def owner_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with the first owner's e-mail address and password."""
    return {name: value for name, value in variables.items() if name.startswith(OWNER)}


def owner_values(variables: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the first owner's e-mail address, password and organization; missing ones are empty."""
    email, password, organization = (
        variables.get(f"{OWNER}{name}", "") for name in ("EMAIL", "PASSWORD", "ORGANIZATION")
    )
    return email, password, organization
