"""Counters, barriers, parties and leases."""

import datetime
import struct
from typing import Any, List

from kazoo.client import KazooClient

from harness import Scenario, Task, equal, expire, in_parallel, scenario, wait_until


@scenario
def counter_counts(s: Scenario) -> None:
    def count(client: KazooClient) -> None:
        counter = client.Counter(s.path("counter"))
        for _ in range(15):
            counter += 2
            counter -= 1

    clients = s.clients(3)
    in_parallel([lambda client=client: count(client) for client in clients])
    equal(clients[0].Counter(s.path("counter")).value, 45)
    # Each of the 90 changes was made to the value that its client had read.
    equal(clients[0].exists(s.path("counter")).version, 90)

    fraction = clients[0].Counter(s.path("float"), default=1.5)
    fraction += 0.25
    equal((fraction.pre_value, fraction.post_value, fraction.value), (1.5, 1.75, 1.75))
    shared = clients[0].Counter(s.path("curator"), support_curator=True)
    shared += 7
    equal(clients[1].get(s.path("curator"))[0], struct.pack(">i", 7))


@scenario
def barrier_holds_back(s: Scenario) -> None:
    first, second = s.clients(2)
    barrier, same = first.Barrier(s.path("barrier")), second.Barrier(s.path("barrier"))
    equal(same.wait(), True)
    barrier.create()
    equal(same.wait(timeout=0.1), False)
    waiting = Task(same.wait, timeout=10)
    equal(waiting.is_running, True)
    equal(barrier.remove(), True)
    equal(waiting.result(), True)
    equal(barrier.remove(), False)


@scenario
def double_barrier_waits_for_all(s: Scenario) -> None:
    clients = s.clients(3)
    barriers = [client.DoubleBarrier(s.path("barrier"), 3, "x") for client in clients]
    clients[0].create(s.path("barrier"))

    def members() -> int:
        return len(clients[0].get_children(s.path("barrier")))

    entering = [Task(barriers[0].enter), Task(barriers[1].enter)]
    wait_until(lambda: members() == 2, "two to wait")
    assert all(task.is_running for task in entering)
    barriers[2].enter()
    for task in entering:
        task.result()
    assert all(barrier.participating for barrier in barriers)
    equal(members(), 4)

    leaving = [Task(barriers[0].leave), Task(barriers[1].leave)]
    wait_until(lambda: members() < 4, "the first to leave")
    assert any(task.is_running for task in leaving)
    barriers[2].leave()
    for task in leaving:
        task.result()
    equal(members(), 0)


@scenario
def party_knows_its_members(s: Scenario) -> None:
    first, second, third = s.clients(3)
    party = first.Party(s.path("party"), "one")
    party.join()
    second.Party(s.path("party"), "two").join()
    expiring = third.Party(s.path("party"), "three")
    expiring.join()
    expiring.join()
    equal(sorted(party), ["one", "three", "two"])
    equal(len(party), 3)
    second.stop()
    equal(sorted(party), ["one", "three"])
    expire(third)
    wait_until(lambda: list(party) == ["one"], lambda: f"only one to be left: {list(party)}")
    equal((party.leave(), party.leave(), len(party)), (True, False, 0))


@scenario
def shallow_party_knows_its_members(s: Scenario) -> None:
    first, second = s.clients(2)
    party = first.ShallowParty(s.path("party"), "one")
    other = second.ShallowParty(s.path("party"), "two")
    party.join()
    other.join()
    equal(sorted(party), ["one", "two"])
    names = sorted(name.split("-", 1)[1] for name in first.get_children(s.path("party")))
    equal(names, ["one", "two"])
    other.leave()
    equal(list(party), ["one"])


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2024, 1, 1)

    def __call__(self) -> datetime.datetime:
        return self.now

    def forward(self, **delta: Any) -> None:
        self.now += datetime.timedelta(**delta)


@scenario
def lease_is_held_until_it_ends(s: Scenario) -> None:
    first, second = s.clients(2)
    clock = Clock()

    def obtain(client: KazooClient, name: str) -> bool:
        hour = datetime.timedelta(hours=1)
        return bool(client.NonBlockingLease(s.path("lease"), hour, name, utcnow=clock))

    equal((obtain(first, "one"), obtain(second, "two")), (True, False))
    clock.forward(minutes=59)
    equal((obtain(second, "two"), obtain(first, "one")), (False, True))
    # A lease outlives its session, and ends by the clock.
    first.stop()
    clock.forward(minutes=59)
    equal(obtain(second, "two"), False)
    clock.forward(minutes=2)
    equal(obtain(second, "two"), True)


@scenario
def leases_for_several(s: Scenario) -> None:
    clock = Clock()

    def obtain(client: KazooClient, name: str) -> bool:
        hour = datetime.timedelta(hours=1)
        return bool(client.MultiNonBlockingLease(2, s.path("lease"), hour, name, utcnow=clock))

    clients = s.clients(3)
    obtained: List[bool] = in_parallel(
        [lambda n=n, client=client: obtain(client, str(n)) for n, client in enumerate(clients)]
    )
    equal(sorted(obtained), [False, True, True])
