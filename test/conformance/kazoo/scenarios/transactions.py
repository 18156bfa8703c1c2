"""Transactions: all of it or nothing."""

from kazoo.exceptions import (
    BadVersionError,
    NoChildrenForEphemeralsError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RolledBackError,
    RuntimeInconsistency,
)

from harness import Scenario, equal, scenario
from watches import EventListener


def kinds(results: list) -> list:
    return [type(result) for result in results]


@scenario
def transaction_commits(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("old"), b"old")
    zk.create(s.path("set"), b"0")
    transaction = zk.transaction()
    transaction.check(s.path("set"), 0)
    transaction.create(s.path("new"), b"new")
    transaction.set_data(s.path("set"), b"changed", version=0)
    transaction.delete(s.path("old"), version=0)
    transaction.create(s.path("seq-"), ephemeral=True, sequence=True)
    checked, created, stat, deleted, sequential = transaction.commit()
    equal((checked, created, deleted), (True, s.path("new"), True))
    equal(sequential, s.path("seq-0000000003"))
    equal(stat, zk.exists(s.path("set")))
    equal((stat.version, stat.dataLength), (1, 7))
    equal(sorted(zk.get_children(s.root)), ["new", "seq-0000000003", "set"])
    equal(zk.exists(sequential).ephemeralOwner, zk.client_id[0])
    # One transaction is one change.
    equal(zk.exists(s.path("new")).czxid, stat.mzxid)
    equal(zk.exists(s.root).pzxid, stat.mzxid)


@scenario
def transaction_rolls_back(s: Scenario) -> None:
    zk, other = s.clients(2)
    zk.create(s.path("checked"))
    zk.create(s.path("kept"), b"kept")
    before = zk.exists(s.root)
    event = EventListener()
    other.exists(s.path("new"), watch=event)

    transaction = zk.transaction()
    transaction.create(s.path("new"))
    transaction.set_data(s.path("kept"), b"changed")
    transaction.check(s.path("checked"), 7)
    transaction.delete(s.path("kept"))
    results = transaction.commit()
    equal(
        kinds(results), [RolledBackError, RolledBackError, BadVersionError, RuntimeInconsistency]
    )
    equal(zk.exists(s.path("new")), None)
    equal(zk.get(s.path("kept"))[0], b"kept")
    equal(zk.exists(s.root), before)
    # No number was used up, and no watch was woken.
    equal(zk.create(s.path("seq-"), sequence=True), s.path("seq-0000000002"))
    zk.create(s.path("new"))
    event.wait_for(("CREATED", s.path("new")))


@scenario
def transaction_sees_itself(s: Scenario) -> None:
    zk = s.client()
    transaction = zk.transaction()
    transaction.create(s.path("dir"), b"0")
    transaction.create(s.path("dir/child"))
    transaction.set_data(s.path("dir"), b"1", version=0)
    transaction.check(s.path("dir"), 1)
    transaction.create(s.path("dir/seq-"), sequence=True)
    transaction.create(s.path("dir/seq-"), sequence=True)
    transaction.delete(s.path("dir/child"))
    results = transaction.commit()
    equal(results[4:], [s.path("dir/seq-0000000001"), s.path("dir/seq-0000000002"), True])
    data, stat = zk.get(s.path("dir"))
    equal((data, stat.version, stat.numChildren, stat.cversion), (b"1", 1, 2, 4))

    transaction = zk.transaction()
    transaction.delete(s.path("dir/seq-0000000001"))
    transaction.delete(s.path("dir/seq-0000000002"))
    transaction.delete(s.path("dir"))
    transaction.create(s.path("dir"), b"other")
    equal(transaction.commit(), [True, True, True, s.path("dir")])
    equal(zk.get(s.path("dir"))[0], b"other")


@scenario
def transaction_errors(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("dir/child"), makepath=True)
    zk.create(s.path("ephemeral"), ephemeral=True)

    def result_of(operation: str, *args: object) -> type:
        transaction = zk.transaction()
        getattr(transaction, operation)(*args)
        (result,) = transaction.commit()
        return type(result)

    equal(result_of("create", s.path("dir")), NodeExistsError)
    equal(result_of("create", s.path("missing/child")), NoNodeError)
    equal(result_of("create", s.path("ephemeral/child")), NoChildrenForEphemeralsError)
    equal(result_of("delete", s.path("dir")), NotEmptyError)
    equal(result_of("delete", s.path("missing")), NoNodeError)
    equal(result_of("delete", s.path("dir/child"), 3), BadVersionError)
    equal(result_of("set_data", s.path("missing"), b""), NoNodeError)
    equal(result_of("set_data", s.path("dir"), b"", 3), BadVersionError)
    equal(result_of("check", s.path("missing"), 0), NoNodeError)
    equal(result_of("check", s.path("dir"), 1), BadVersionError)
    equal(zk.transaction().commit(), [])


@scenario
def transaction_wakes_watches(s: Scenario) -> None:
    zk, other = s.clients(2)
    for name in ("changed", "deleted"):
        zk.create(s.path(name))
    events = [EventListener() for _ in range(4)]
    other.exists(s.path("created"), watch=events[0])
    other.get(s.path("changed"), watch=events[1])
    other.get(s.path("deleted"), watch=events[2])
    other.get_children(s.root, watch=events[3])
    with zk.transaction() as transaction:
        transaction.create(s.path("created"))
        transaction.set_data(s.path("changed"), b"1")
        transaction.delete(s.path("deleted"))
    events[0].wait_for(("CREATED", s.path("created")))
    events[1].wait_for(("CHANGED", s.path("changed")))
    events[2].wait_for(("DELETED", s.path("deleted")))
    events[3].wait_for(("CHILD", s.root))
