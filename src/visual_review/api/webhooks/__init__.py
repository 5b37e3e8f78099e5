"""Webhooks of Git providers and of the payment provider."""
