"""Scene files, YAML and JSON: everything that belongs to a scene, its diagram, console and faults included."""

from .scene_file import load_scene, save_scene, scene_content, scene_of, scene_of_text, scene_text
from .schema import schema_text

__all__ = ["load_scene", "save_scene", "scene_content", "scene_of", "scene_of_text", "scene_text", "schema_text"]
