"""The CI interface, as docs/reference/ci-interface.md describes it: one module per call."""
