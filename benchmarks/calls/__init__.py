"""What ``bench-mcp`` compares the service with, and how it measures each."""
