"""A scripted reviewer that decides builds over MCP only, and what it costs."""
