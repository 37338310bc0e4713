"""Sharnir beside its peers: shared scenes, the same scenes in other engines, independent references, timings."""
