"""Calls of the CI interface, with retries and error messages that say what to do."""
