"""Takes kazoo's locks on command:
`kazoo_partner.py <connect string> <session timeout in ms> [<user>:<password>]`.

How commands and answers are written: `test/support/command-process.ts`. Ends with its input.
"""

import json
import os
import sys
import threading
import time
import traceback
from typing import Any, Callable, Dict, List

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock
from kazoo.security import make_digest_acl

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
from curator_mutex import CuratorMutex  # noqa: E402
from orders import Orders  # noqa: E402


class Partner:
    def __init__(self, client: KazooClient) -> None:
        self._client = client
        self._taken: Dict[str, Lock] = {}
        self._leading: Dict[str, threading.Event] = {}

    def acquire(self, name: str, kind: str, path: str) -> bool:
        return self._take(name, self._lock(kind, path))

    def try_(self, name: str, kind: str, path: str) -> bool:
        return self._take(name, self._lock(kind, path), blocking=False)

    def again(self, name: str) -> bool:
        return self._take(name, self._taken[name])

    def release(self, name: str) -> None:
        self._taken[name].release()

    def semaphore(self, path: str, permits: str) -> bool:
        return bool(self._client.Semaphore(path, max_leases=int(permits)).acquire(False))

    def contenders(self, kind: str, path: str) -> List[str]:
        return self._lock(kind, path).contenders()

    def lead(self, name: str, path: str, identifier: str) -> bool:
        elected = threading.Event()
        done = self._leading[name] = threading.Event()

        def serve() -> None:
            elected.set()
            done.wait()

        election = self._client.Election(path, identifier)
        threading.Thread(target=election.run, args=(serve,), daemon=True).start()
        return elected.wait()

    def resign(self, name: str) -> None:
        self._leading[name].set()

    def candidates(self, path: str) -> List[str]:
        return self._client.Election(path).contenders()

    def increment(self, kind: str, path: str, file: str, threads: int, times: int) -> None:
        self._in_parallel(kind, path, lambda: increment(file), threads, times)

    def check(self, kind: str, path: str, file: str, threads: int, times: int) -> None:
        self._in_parallel(kind, path, lambda: check(file), threads, times)

    def ship(self, order_id: str, file: str) -> None:
        Orders(self._client).ship(order_id, lambda: increment(file))

    def _lock(self, kind: str, path: str) -> Lock:
        recipes = {
            "lock": self._client.Lock,
            "write": self._client.WriteLock,
            "read": self._client.ReadLock,
            "curator-mutex": lambda *lock: CuratorMutex(self._client, *lock),
        }
        return recipes[kind](path, f"kazoo {kind}")

    def _take(self, name: str, lock: Lock, blocking: bool = True) -> bool:
        self._taken[name] = lock
        return lock.acquire(blocking=blocking)

    def _in_parallel(
        self, kind: str, path: str, task: Callable[[], None], threads: int, times: int
    ) -> None:
        errors: List[BaseException] = []

        def run() -> None:
            try:
                for _ in range(times):
                    lock = self._lock(kind, path)
                    # A reader and a writer that wait for one another would wait for ever:
                    # https://github.com/python-zk/kazoo/issues/649
                    while not lock.acquire(blocking=kind != "read"):
                        time.sleep(0.002)
                    try:
                        task()
                    finally:
                        lock.release()
            except BaseException as error:  # pylint: disable=broad-except
                errors.append(error)

        started = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        if errors:
            raise errors[0]


def increment(file: str) -> None:
    """Adds one to a number and its copy, without any atomicity."""
    following = str(int(read(file)) + 1)
    write(f"{file}.copy", following)
    # Lets other threads run here, in case one is in this place.
    time.sleep(0.001)
    write(f"{file}.tokens", "kazoo\n", "a")
    write(file, following)


def check(file: str) -> None:
    number = read(file)
    time.sleep(0.001)
    copy = read(f"{file}.copy")
    assert number == copy, f"torn: the number is {number}, its copy {copy}"


def read(file: str) -> str:
    with open(file, encoding="ascii") as opened:
        return opened.read()


def write(file: str, text: str, mode: str = "w") -> None:
    with open(file, mode, encoding="ascii") as opened:
        opened.write(text)


def tell(**message: Any) -> None:
    # In one piece: commands answer from threads of their own.
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(partner: Partner, number: int, what: str, *arguments: Any) -> None:
    try:
        command = getattr(partner, "try_" if what == "try" else what)
        tell(id=number, value=command(*arguments))
    except Exception:  # pylint: disable=broad-except
        tell(id=number, error=traceback.format_exc())


def main() -> None:
    hosts, timeout_ms, *users = sys.argv[1:]
    # The default delays grow up to an hour.
    retry = {"max_tries": -1, "delay": 0.005, "max_delay": 0.05}
    secured: Dict[str, Any] = {}
    for user in users:
        acl = make_digest_acl(*user.split(":"), all=True)
        secured = {"auth_data": [("digest", user)], "default_acl": [acl]}
    client = KazooClient(
        hosts, timeout=int(timeout_ms) / 1000, command_retry=retry, **secured
    )
    client.start(timeout=10)
    partner = Partner(client)
    tell(id=0, value=None)
    for line in sys.stdin:
        threading.Thread(target=answer, args=(partner, *json.loads(line)), daemon=True).start()
    client.stop()
    client.close()
    # Not a normal end: threads may still wait for a lock.
    os._exit(0)


main()
