"""Commands for running the service, one module each."""
