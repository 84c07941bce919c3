"""Files that do to their reader what no file should, by their names: a reader with a hook in its interpreter.

Real files that crash a library come and go with its versions; what they do to a process does not.
"""

from __future__ import annotations

from pathlib import Path

HOOK = """
import sys
if "disnplbm.engine.reader" in sys.orig_argv:
    import ctypes, os, pathlib, signal, time
    here = pathlib.Path(__file__).parent
    from disnplbm.data import source
    opened = source.open_source

    def grow():
        held = []
        while True:
            held.append(b"x" * 2**20)

    def hold():
        # Holds the lock of the interpreter: no thread of it runs.
        ctypes.PyDLL(None).sleep(10**6)

    def wait():
        # Until somebody puts a file there.
        (here / "begun").open("a").write("begun\\n")
        while not (here / "go").exists():
            time.sleep(0.02)

    ACTS = {
        "crash": lambda: ctypes.string_at(1),
        "abort": os.abort,
        "endless": lambda: [None for _ in iter(int, 1)],
        "hold": hold,
        "grow": grow,
        "end": lambda: os._exit(3),
        "fault": lambda: [].pop(),
        "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "wait": wait,
    }

    def act(path, *more, **options):
        ACTS.get(path.name.partition(".")[0], lambda: None)()
        return opened(path, *more, **options)

    source.open_source = act
"""


def hooked(folder: Path) -> dict[str, str]:
    """Variables of the environment in which readers have the hook."""
    (folder / "hook").mkdir()
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    return {"PYTHONPATH": str(folder / "hook")}
