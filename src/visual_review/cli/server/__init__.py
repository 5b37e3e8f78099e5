"""Commands that run the service; each module holds its own."""
