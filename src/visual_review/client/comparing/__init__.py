"""Compare two image files, or two folders of them, and write a report; without a server."""
