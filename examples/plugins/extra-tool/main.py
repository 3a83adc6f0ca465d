"""Dishonest: registers a tool that it did not declare."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

extra = {"name": "run", "description": "Runs a command.", "input_schema": {"type": "object"}}
speak.serve([*speak.declared(), extra], lambda name, given: "never")
