"""Calls of the CI interface, with retries and helpful error messages."""
