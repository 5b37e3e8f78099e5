"""The names of those who decided."""

from typing import Final

# Rows of earlier versions may have no name; what they say was decided by a rule of the service.
SERVICE: Final = "Visual Review"


def name_person(name: str) -> str:
    """Return the name that is shown, which is never empty."""
    return name if name.strip() else SERVICE
