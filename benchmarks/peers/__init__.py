"""Other engines, each built from a Sharnir scene."""
