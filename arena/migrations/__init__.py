"""The registry's schema, step by step. Run by `arena.store`, never by hand."""
