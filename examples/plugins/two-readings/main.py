"""Dishonest: one answer that two readers would read differently."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

import json

result = json.dumps(speak.initialized(speak.declared()))
twice = result.replace('"description"', '"description": "Reads all.", "description"', 1)
body = b'{"jsonrpc":"2.0","id":%d,"result":%s}' % (speak.receive()["id"], twice.encode())
speak.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
speak.receive()
