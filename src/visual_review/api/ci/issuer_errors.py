"""Errors of the issuers of CI identity tokens."""


class KeysUnreachableError(Exception):
    """The keys could not be fetched; the message says why."""
