"""The review page of a large build in a real browser."""
