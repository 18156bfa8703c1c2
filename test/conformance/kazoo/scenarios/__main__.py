"""Runs scenarios of kazoo against a ZooKeeper: `python3 scenarios <host:port> <root>`.

Ready with the names of the scenarios, it runs them on command (`test/support/command-process.ts`),
one after another. Ends with its input.
"""

import json
import logging
import os
import sys
import threading
import traceback
from typing import Optional

from kazoo.client import KazooClient

# Each puts its scenarios on the list.
import acls
import nodes
import sessions
import transactions
import watches
from harness import DEADLINE, SCENARIOS, Scenario

TIME_LIMIT = 20.0


def main() -> None:
    hosts, root = sys.argv[1:]
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    tell(id=0, value=list(SCENARIOS))
    for line in sys.stdin:
        number, _, name = json.loads(line)
        problem = run(name, hosts, f"{root}/{name}")
        tell(id=number, **({"value": None} if problem is None else {"error": problem}))
    # Not a normal end: a scenario that hangs may have left threads that are waited for.
    sys.stdout.flush()
    os._exit(0)


def tell(**message: object) -> None:
    print(json.dumps(message), flush=True)


def run(name: str, hosts: str, root: str) -> Optional[str]:
    """Returns what went wrong, nothing if all was well."""
    problems = []
    thread = threading.Thread(target=attempt, args=(name, hosts, root, problems), daemon=True)
    thread.start()
    thread.join(TIME_LIMIT)
    if thread.is_alive():
        problems.append(f"not done after {TIME_LIMIT} s; its threads are at\n{stacks()}")
    return "\n".join(problems) or None


def attempt(name: str, hosts: str, root: str, problems: list) -> None:
    control = KazooClient(hosts)
    current = Scenario(hosts, root)
    try:
        control.start(timeout=DEADLINE)
        control.ensure_path(root)
        for step in (lambda: SCENARIOS[name](current), current.close, lambda: remove(control, root)):
            try:
                step()
            except Exception:
                problems.append(traceback.format_exc())
    except Exception:
        problems.append(traceback.format_exc())
    finally:
        control.stop()
        control.close()


def remove(control: KazooClient, path: str) -> None:
    """Removes a tree in which no ephemeral node can be left, as all clients are closed."""
    stat = control.exists(path)
    assert stat.ephemeralOwner == 0, f"{path} has outlived its session"
    # Who may not read a node may yet delete it, if it has no children.
    for child in control.get_children(path) if stat.numChildren else []:
        remove(control, f"{path}/{child}")
    control.delete(path)


def stacks() -> str:
    frames = sys._current_frames()
    threads = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    return "\n".join(
        f"{thread.name}:\n{''.join(traceback.format_stack(frames[thread.ident]))}"
        for thread in threads
        if thread.ident in frames
    )


if __name__ == "__main__":
    main()
