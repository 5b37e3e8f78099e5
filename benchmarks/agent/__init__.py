"""A scripted reviewer for deciding builds over MCP only, and the cost of a review."""
