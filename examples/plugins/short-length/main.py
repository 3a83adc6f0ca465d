"""Broken: a frame is longer than its length says."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

import json

answer = {"jsonrpc": "2.0", "id": speak.receive()["id"], "result": speak.initialized(speak.declared())}
body = json.dumps(answer).encode()
speak.send_bytes(b"Content-Length: %d\r\n\r\n" % (len(body) - 1) + body)
speak.receive()
