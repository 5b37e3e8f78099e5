"""Commands that run in CI, one module each."""
