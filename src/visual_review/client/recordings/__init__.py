"""Finds the videos of a test run, reads the reports about them, and uploads them."""
