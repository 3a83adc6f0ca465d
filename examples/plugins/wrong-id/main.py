"""Broken: answers a request that nobody made."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

request = speak.receive()
speak.send({"id": request["id"] + 1, "result": speak.initialized(speak.declared())})
speak.receive()
