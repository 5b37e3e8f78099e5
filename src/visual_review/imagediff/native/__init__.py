"""The comparison by a library of machine code; its sources are in `native/`."""
