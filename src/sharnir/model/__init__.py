"""The scene compiled to flat arrays."""
