"""The recipes for running the service and for publishing, used like people use them."""
