"""Scene files: YAML and JSON."""

from .scene_file import load_scene, save_scene
from .schema import scene_schema

__all__ = ["load_scene", "save_scene", "scene_schema"]
