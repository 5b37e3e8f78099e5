"""Finds the videos of a test run, reads what reports tell of them, and uploads them."""
