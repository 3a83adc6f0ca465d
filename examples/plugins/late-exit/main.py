"""Broken: admitted, then ends in its first call."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

speak.serve(speak.declared(), lambda name, given: sys.exit(3))
