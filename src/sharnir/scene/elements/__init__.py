"""What the free axes of a joint may carry: limits, friction, springs, drives."""
