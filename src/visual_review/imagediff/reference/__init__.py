"""The comparison in numpy: the reference of the native engine, and its fallback."""
