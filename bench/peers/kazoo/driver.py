"""Does the benchmark's work with kazoo's locks: `driver.py <connect string> <root>`.

The commands are those of `bench/driver/protocol.ts`. Ends with its input.
"""

import json
import math
import os
import sys
import threading
import time
import traceback
from typing import Any, Callable, Dict, List, Optional

from kazoo.client import KazooClient

# The buckets of `bench/driver/buckets.ts`.
PER_E = 50


def bucket_of(seconds: float) -> int:
    return math.floor(math.log(max(seconds * 1e3, 1e-6)) * PER_E)


def count(values: List[float]) -> Dict[str, int]:
    counts: Dict[str, int] = {}
    for value in values:
        bucket = str(bucket_of(value))
        counts[bucket] = counts.get(bucket, 0) + 1
    return counts


def intervals(moments: List[float]) -> List[float]:
    return [after - before for before, after in zip(moments, moments[1:])]


class Tasks:
    """Threads that begin their next cycle at once until the time is over."""

    def __init__(self, client: KazooClient, work: str, keys: str, path: str) -> None:
        self._client = client
        self._work = work
        self._own_keys = keys == "own"
        self._path = path
        self._acquire: List[float] = []
        self._cycle: List[float] = []
        self._grants: List[float] = []
        self._errors: List[BaseException] = []

    def run(self, tasks: int, seconds: float, pause: float) -> Dict[str, Any]:
        busy = self._client.Lock(self._key_of(0)) if self._work == "try" else None
        if busy:
            busy.acquire()
        cycles = [0] * tasks
        ends_at = time.perf_counter() + seconds

        def run(number: int) -> None:
            try:
                cycles[number] = self._run_task(number, ends_at, pause)
            except BaseException as error:  # pylint: disable=broad-except
                self._errors.append(error)

        in_parallel(run, tasks)
        if busy:
            busy.release()
        if self._errors:
            raise self._errors[0]
        return {
            "cycles": cycles,
            "acquire": count(self._acquire),
            "cycle": count(self._cycle),
            "handOver": count(intervals(self._grants)),
            # perf_counter is the monotonic clock of Linux.
            **({"grants": [at * 1e3 for at in self._grants]} if self._grants else {}),
        }

    def _key_of(self, task: int) -> str:
        return f"{self._path}-{task}" if self._own_keys else self._path

    def _run_task(self, number: int, ends_at: float, pause: float) -> int:
        lock = self._client.Lock(self._key_of(number))
        in_time = 0
        while True:
            asked_at = time.perf_counter()
            if asked_at >= ends_at:
                return in_time
            is_held = lock.acquire(blocking=self._work != "try")
            held_at = time.perf_counter()
            if self._work == "write" and not self._own_keys:
                self._grants.append(held_at)
            if is_held:
                assert self._work != "try", "taken by two"
                lock.release()
            released_at = time.perf_counter()
            self._acquire.append(held_at - asked_at)
            self._cycle.append(released_at - asked_at)
            if released_at <= ends_at:
                in_time += 1
            if pause:
                time.sleep(pause)


class WaitingLine:
    """Many threads that wait for one key. The lock is handed from one to the next on command."""

    def __init__(self, client: KazooClient) -> None:
        self._client = client
        self._grants: List[float] = []
        # The grant whose holder keeps the lock.
        self._last = 1
        self._mutex = threading.Lock()
        self._arrived = threading.Event()
        self._held: Optional[threading.Event] = None

    def fill(self, waiters: int, path: str) -> None:
        """Returns when one waiter has the lock, and the others are about to ask for it."""
        self._ask(path)
        self._arrived.wait()
        for _ in range(waiters):
            self._ask(path)

    def hand(self, hand_overs: int) -> List[float]:
        """The milliseconds of each of the given number of hand-overs."""
        with self._mutex:
            self._last = hand_overs
            self._arrived = threading.Event()
            started_at = time.perf_counter()
            self._grants = []
        assert self._held
        self._held.set()
        self._arrived.wait()
        return [seconds * 1e3 for seconds in intervals([started_at, *self._grants])]

    def _ask(self, path: str) -> None:
        def wait() -> None:
            lock = self._client.Lock(path)
            lock.acquire()
            self._granted().wait()
            lock.release()

        threading.Thread(target=wait, daemon=True).start()

    def _granted(self) -> threading.Event:
        """The signal that lets the new holder release."""
        let_go = threading.Event()
        with self._mutex:
            self._grants.append(time.perf_counter())
            if len(self._grants) < self._last:
                let_go.set()
            else:
                self._held = let_go
                self._arrived.set()
        return let_go


class Driver:
    def __init__(self, client: KazooClient, root: str) -> None:
        self._client = client
        self._root = root
        self._line = WaitingLine(client)

    # pylint: disable-next=too-many-arguments
    def run(
        self, work: str, keys: str, tasks: int, seconds: float, name: str, pause_ms: float
    ) -> Any:
        path = f"{self._root}/{name}"
        return Tasks(self._client, work, keys, path).run(tasks, seconds, pause_ms / 1e3)

    def fill(self, waiters: int, name: str) -> None:
        self._line.fill(waiters, f"{self._root}/{name}")

    def stall(self) -> None:
        """There is no event loop."""

    def hand(self, hand_overs: int) -> List[float]:
        return self._line.hand(hand_overs)

    def memory(self) -> None:
        """Python does not tell the size of its heap."""


def in_parallel(run: Callable[[int], None], tasks: int) -> None:
    started = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(tasks)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def tell(**message: Any) -> None:
    # In one piece, because commands answer from several threads.
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(driver: Driver, number: int, what: str, *arguments: Any) -> None:
    try:
        tell(id=number, value=getattr(driver, what)(*arguments))
    except Exception:  # pylint: disable=broad-except
        tell(id=number, error=traceback.format_exc())


def main() -> None:
    hosts, root = sys.argv[1:]
    client = KazooClient(hosts, timeout=30)
    client.start(timeout=10)
    driver = Driver(client, root)
    tell(id=0, value=None)
    for line in sys.stdin:
        threading.Thread(target=answer, args=(driver, *json.loads(line)), daemon=True).start()
    client.stop()
    client.close()
    # Not a normal end: threads may still wait for a lock.
    os._exit(0)


main()
