"""Broken: never answers, nor does the process that it starts."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

import subprocess

speak.mark(subprocess.Popen(["sleep", "600"]).pid)
while True:
    speak.receive()
