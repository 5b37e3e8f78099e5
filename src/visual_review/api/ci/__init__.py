"""The CI interface, as docs/reference/ci-interface.md has it: one module a call."""
