"""Queues."""

from typing import List

from kazoo.client import KazooClient

from harness import Scenario, Task, equal, in_parallel, scenario


@scenario
def queue_is_in_order(s: Scenario) -> None:
    producer, consumer = s.clients(2)
    queue = producer.Queue(s.path("queue"))
    for value in (b"a", b"b", b"c"):
        queue.put(value)
    queue.put(b"urgent", priority=1)
    queue.put(b"late", priority=999)
    equal(len(queue), 5)
    other = consumer.Queue(s.path("queue"))
    taken = [other.get() for _ in range(6)]
    equal(taken, [b"urgent", b"a", b"b", b"c", b"late", None])
    equal(len(queue), 0)


@scenario
def locking_queue_takes_each_once(s: Scenario) -> None:
    first, second, producer = s.clients(3)
    entries = [str(number).encode("ascii") for number in range(30)]

    def consume(client: KazooClient) -> List[bytes]:
        queue = client.LockingQueue(s.path("queue"))
        taken = []
        while True:
            value = queue.get(timeout=10)
            assert queue.consume()
            if value == b"end":
                return taken
            taken.append(value)

    queue = producer.LockingQueue(s.path("queue"))
    consuming = [Task(consume, first), Task(consume, second)]
    for entry in entries[:15]:
        queue.put(entry)
    queue.put_all(entries[15:])
    queue.put_all([b"end", b"end"], priority=999)
    taken = [task.result() for task in consuming]
    equal(sorted(taken[0] + taken[1], key=int), entries)
    assert taken[0] == sorted(taken[0], key=int), taken
    equal(len(queue), 0)


@scenario
def locking_queue_gives_back(s: Scenario) -> None:
    first, second = s.clients(2)
    mine, other = first.LockingQueue(s.path("queue")), second.LockingQueue(s.path("queue"))
    mine.put_all([b"a", b"b"])
    equal(mine.get(timeout=5), b"a")
    equal((mine.holds_lock(), other.holds_lock()), (True, False))
    equal(other.get(timeout=5), b"b")
    equal((other.release(), other.holds_lock(), len(other)), (True, False, 2))
    equal(other.get(timeout=5), b"b")
    equal(other.consume(), True)
    # What a session had taken comes back when the session ends.
    waiting = Task(other.get, timeout=10)
    first.stop()
    equal(waiting.result(), b"a")
    equal((other.consume(), len(other)), (True, 0))


@scenario
def locking_queue_puts_all_or_nothing(s: Scenario) -> None:
    zk = s.client()
    queue = zk.LockingQueue(s.path("queue"))
    queue.put(b"first")
    queue.put_all([str(number).encode("ascii") for number in range(20)], priority=50)
    equal(len(queue), 21)
    names = sorted(zk.get_children(s.path("queue/entries")))
    equal(names[0], "entry-050-0000000001")
    equal(names[-1], "entry-100-0000000000")


@scenario
def queue_shared_by_consumers(s: Scenario) -> None:
    producer, first, second = s.clients(3)
    queue = producer.Queue(s.path("queue"))
    for number in range(20):
        queue.put(str(number).encode("ascii"))

    def drain(client: KazooClient) -> List[bytes]:
        mine = client.Queue(s.path("queue"))
        return list(iter(mine.get, None))

    taken = in_parallel([lambda: drain(first), lambda: drain(second)])
    equal(sorted(taken[0] + taken[1], key=int), [str(n).encode("ascii") for n in range(20)])
    equal(len(queue), 0)
