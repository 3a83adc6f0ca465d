"""Broken: talks without end, and never answers."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

while True:
    speak.send({"method": "notify", "params": {}})
