"""The CI interface, documented in docs/reference/ci-interface.md: one module per call."""
