"""The browser: the 3D view, the operator's console, replay and export."""
