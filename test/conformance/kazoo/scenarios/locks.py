"""Locks, semaphores and elections."""

import threading
import time
from typing import Callable, List

from kazoo.client import KazooClient
from kazoo.exceptions import CancelledError, LockTimeout
from kazoo.recipe.lock import Lock, Semaphore

from harness import (
    Scenario,
    Task,
    equal,
    expire,
    in_parallel,
    increment,
    number_in,
    raises,
    scenario,
    wait_until,
)


def contenders_are(lock: Lock, expected: List[str]) -> None:
    """Waits until just these are in the queue, in this order."""
    wait_until(lambda: lock.contenders() == expected, lambda: f"{expected}: {lock.contenders()}")


@scenario
def lock_excludes(s: Scenario) -> None:
    file = s.counter_file()

    def count(client: KazooClient) -> None:
        lock = client.Lock(s.path("lock"))
        for _ in range(15):
            with lock:
                increment(file)

    in_parallel([lambda client=client: count(client) for client in s.clients(4)])
    equal(number_in(file), 60)


@scenario
def lock_is_granted_in_order(s: Scenario) -> None:
    clients = s.clients(4)
    entered: List[str] = []
    holder = clients[0].Lock(s.path("lock"), "holder")
    holder.acquire()

    def wait_in_line(client: KazooClient, name: str) -> None:
        with client.Lock(s.path("lock"), name):
            entered.append(name)

    waiting, names = [], ["holder"]
    for client, name in zip(clients[1:], ("first", "second", "third")):
        waiting.append(Task(wait_in_line, client, name))
        names.append(name)
        contenders_are(holder, names)
    equal(entered, [])
    holder.release()
    for task in waiting:
        task.result()
    equal(entered, ["first", "second", "third"])
    equal(holder.contenders(), [])


@scenario
def lock_can_be_cancelled(s: Scenario) -> None:
    first, second = s.clients(2)
    holder = first.Lock(s.path("lock"), "holder")
    waiter = second.Lock(s.path("lock"), "waiter")
    holder.acquire()
    waiting = Task(waiter.acquire)
    contenders_are(holder, ["holder", "waiter"])
    waiter.cancel()
    raises(CancelledError, waiting.result)
    contenders_are(holder, ["holder"])
    holder.release()
    equal(waiter.acquire(), True)


@scenario
def lock_can_time_out(s: Scenario) -> None:
    first, second = s.clients(2)
    holder = first.Lock(s.path("lock"), "holder")
    waiter = second.Lock(s.path("lock"), "waiter")
    holder.acquire()
    raises(LockTimeout, waiter.acquire, timeout=0.1)
    equal(waiter.acquire(blocking=False), False)
    equal(holder.contenders(), ["holder"])
    holder.release()
    equal(waiter.acquire(timeout=5), True)


@scenario
def lock_passes_on_when_its_session_ends(s: Scenario) -> None:
    first, second, third = s.clients(3)
    equal(first.Lock(s.path("lock"), "first").acquire(), True)
    observer = third.Lock(s.path("lock"))
    lock = second.Lock(s.path("lock"), "second")
    waiting = Task(lock.acquire)
    contenders_are(observer, ["first", "second"])
    equal(waiting.is_running, True)
    first.stop()
    equal(waiting.result(), True)

    waiting = Task(third.Lock(s.path("lock"), "third").acquire)
    contenders_are(observer, ["second", "third"])
    equal(waiting.is_running, True)
    expire(second)
    equal(waiting.result(), True)
    contenders_are(observer, ["third"])


@scenario
def read_write_lock(s: Scenario) -> None:
    clients = s.clients(4)
    path = s.path("lock")
    first, second = clients[0].ReadLock(path, "r1"), clients[1].ReadLock(path, "r2")
    writer = clients[2].WriteLock(path, "w")
    late = clients[3].ReadLock(path, "r3")

    # Readers share it.
    equal((first.acquire(timeout=5), second.acquire(timeout=5)), (True, True))
    equal(writer.acquire(blocking=False), False)
    writing = Task(writer.acquire)
    contenders_are(late, ["r1", "r2", "w"])
    # Who comes after a waiting writer waits for it.
    equal(late.acquire(blocking=False), False)
    reading = Task(late.acquire)
    contenders_are(first, ["r1", "r2", "w", "r3"])
    first.release()
    equal((writing.is_running, reading.is_running), (True, True))
    second.release()
    equal(writing.result(), True)
    equal(reading.is_running, True)
    writer.release()
    equal(reading.result(), True)


@scenario
def write_lock_excludes(s: Scenario) -> None:
    file = s.counter_file()

    def write(client: KazooClient) -> None:
        lock = client.WriteLock(s.path("lock"))
        for _ in range(10):
            with lock:
                increment(file)

    # No readers in between: this version's reader also waits for writers that come after it.
    in_parallel([lambda client=client: write(client) for client in s.clients(3)])
    equal(number_in(file), 30)


@scenario
def semaphore_limits_holders(s: Scenario) -> None:
    clients = s.clients(4)
    semaphores = [client.Semaphore(s.path("semaphore"), max_leases=2) for client in clients]
    equal([semaphore.acquire(blocking=False) for semaphore in semaphores[:3]], [True, True, False])
    semaphores[0].release()
    equal(semaphores[2].acquire(timeout=5), True)
    semaphores[1].release()
    semaphores[2].release()

    inside, counts, guard = [], [], threading.Lock()

    def enter_and_leave(semaphore: Semaphore) -> None:
        for _ in range(6):
            with semaphore:
                with guard:
                    inside.append(semaphore)
                    counts.append(len(inside))
                # Stays until somebody else had a chance to come in.
                time.sleep(0.001)
                with guard:
                    inside.remove(semaphore)

    in_parallel([lambda each=each: enter_and_leave(each) for each in semaphores])
    equal((len(counts), max(counts) <= 2), (24, True))


@scenario
def semaphore_has_one_size(s: Scenario) -> None:
    first, second = s.clients(2)
    path = s.path("semaphore")
    holder = first.Semaphore(path, "holder", max_leases=1)
    equal(holder.acquire(), True)
    equal(first.get(path)[0], b"1")
    raises(ValueError, second.Semaphore(path, max_leases=2).acquire)
    waiter = second.Semaphore(path, "waiter", max_leases=1)
    equal(waiter.acquire(blocking=False), False)
    raises(LockTimeout, waiter.acquire, timeout=0.1)
    equal(waiter.lease_holders(), ["holder"])
    waiting = Task(waiter.acquire)
    wait_until(lambda: first.get_children(f"{path}-__lock__"), "the waiter to wait")
    equal(waiting.is_running, True)
    # A lease ends with the session that has it.
    first.stop()
    equal(waiting.result(), True)
    equal(waiter.lease_holders(), ["waiter"])


@scenario
def election_has_one_leader(s: Scenario) -> None:
    clients = s.clients(3)
    elections = [client.Election(s.path("election"), str(n)) for n, client in enumerate(clients)]
    leaders: List[str] = []
    step_down = [threading.Event() for _ in elections]

    def lead(number: int) -> None:
        leaders.append(str(number))
        step_down[number].wait(10)

    def run(number: int) -> Callable[[], None]:
        return lambda: elections[number].run(lead, number)

    running = []
    for number in range(3):
        running.append(Task(run(number)))
        contenders_are(elections[0].lock, [str(n) for n in range(number + 1)])
    wait_until(lambda: leaders == ["0"], "the first to lead")
    elections[1].cancel()
    running[1].result()
    step_down[0].set()
    running[0].result()
    wait_until(lambda: leaders == ["0", "2"], lambda: f"the third to lead: {leaders}")
    equal(elections[0].contenders(), ["2"])
    step_down[2].set()
    running[2].result()
