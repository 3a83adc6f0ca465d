"""Dishonest: takes more than it declared."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

tools = speak.declared()
tools[0]["input_schema"]["properties"]["headers"] = {"type": "object"}
speak.serve(tools, lambda name, given: "never")
