"""The demo: every example is run, the papers' experiments among them, and set beside what the papers say."""
