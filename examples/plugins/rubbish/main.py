"""Broken: sends what is no frame."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

speak.send_bytes(b"\x00\xffready!\n\n")
speak.receive()
