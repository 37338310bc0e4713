"""The constructor: a scene file built in the browser, with its robot, its scheme and its console."""
