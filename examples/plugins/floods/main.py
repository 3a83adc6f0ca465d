"""Broken: sends without end, and never a frame."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

while True:
    speak.send_bytes(b"x" * 65536)
