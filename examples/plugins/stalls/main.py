"""Broken: admitted, then silent in its first call."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

import time

speak.serve(speak.declared(), lambda name, given: time.sleep(600))
