"""The recipes for running the service and for publishing, used as people use them."""
