"""Presets of `type: http`: a service a file, each its defaults and how its request is put together."""
