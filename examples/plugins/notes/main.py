"""Honest: registers what it declares."""

import sys

sys.path.insert(0, "..")
import speak  # noqa: E402  (the plugins of this folder share it)

notes = []


def call(name, given):
    if name == "list":
        return list(reversed(notes))[: given.get("limit", 20)]
    notes.append(given["text"])
    return len(notes)


# The order in which tools are registered does not matter.
speak.serve(list(reversed(speak.declared())), call)
