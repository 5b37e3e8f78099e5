"""Compare two image files or two folders of images, and write a report; without a server."""
