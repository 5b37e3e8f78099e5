"""Commands that run the service, one module each."""
