"""What the user writes: plain typed descriptions in SI units."""
