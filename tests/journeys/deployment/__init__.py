"""The recipes for running the service and for publishing to it, as people use them."""
