"""A local Git provider for the demo and for tests: ``python -m scripts.local_host``.

The provider serves the in-memory host with Gitea's REST interface, so that the real service calls
it over HTTP, through the real adapter.
"""
