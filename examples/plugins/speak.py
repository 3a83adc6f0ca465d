"""What the Python plugins share: marks of a start, frames on the standard streams, and answers."""

import json
import os
import sys


def mark(pid):
    """Leaves a process id in the plugin's state, from which a test sees what was started."""
    state = os.environ.get("PLUGIN_STATE")
    if state:
        with open(os.path.join(state, "started"), "a", encoding="ascii") as file:
            file.write(f"{pid}\n")


mark(os.getpid())


def declared():
    """The tools of the plugin's own manifest."""
    with open("plugin.json", encoding="utf-8") as file:
        return json.load(file)["extension"]["deferred"]["tools"]


def receive():
    """The next request; ends the plugin with its input."""
    length = None
    while line := sys.stdin.buffer.readline().strip():
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        sys.exit(0)
    return json.loads(sys.stdin.buffer.read(length))


def send_bytes(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def initialized(tools):
    """The result of `initialize`."""
    return {"protocol_version": 1, "capabilities": {"tools": tools}}


def serve(tools, call):
    """Registers tools, and answers each call with `call(name, input)`."""
    while True:
        request = receive()
        method, params = request["method"], request.get("params")
        if method == "initialize":
            send({"id": request["id"], "result": initialized(tools)})
        elif method == "tool.call":
            try:
                answer = {"result": call(params["name"], params["input"])}
            except (KeyError, ValueError) as error:
                answer = {"error": {"code": -32602, "message": str(error)}}
            send({"id": request["id"], **answer})
        elif method == "shutdown":
            send({"id": request["id"], "result": None})
            return
