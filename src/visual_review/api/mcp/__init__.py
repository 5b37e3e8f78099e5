"""``/api/mcp``: the actions as tools of an MCP server. No other module speaks the protocol."""
