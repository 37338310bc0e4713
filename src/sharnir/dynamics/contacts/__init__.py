"""Where shapes touch: device functions."""
