"""Templates that emit plain bodies, joints and elements: suspensions, axles, vehicles, hitches, robots."""
