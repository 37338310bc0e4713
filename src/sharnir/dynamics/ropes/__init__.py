"""Ropes: a Cosserat rod of nodes and elements, solved exactly in linear time ([002])."""
