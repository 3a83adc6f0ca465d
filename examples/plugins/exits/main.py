"""Broken: ends at once."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

sys.exit(3)
