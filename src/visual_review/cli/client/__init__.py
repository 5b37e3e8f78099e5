"""Commands that run in CI; each module holds its own."""
