"""Finds the videos of a test run, reads reports about the videos, and uploads the videos."""
