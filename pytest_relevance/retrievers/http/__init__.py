"""Search APIs over HTTP: one kind by configuration, and presets of it for named engines."""
