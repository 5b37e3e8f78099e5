"""A source host on this machine, for the demo and for tests: ``python -m scripts.local_host``.

It puts the host in memory behind Gitea's REST interface, so that the real service talks to it
through the real adapter over HTTP.
"""
