"""What ``bench-start`` observes of a service that starts."""
