"""Transactions: all of it or nothing."""

from kazoo.exceptions import BadVersionError, RolledBackError, RuntimeInconsistency

from harness import Scenario, equal, scenario


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
    equal(sorted(zk.get_children(s.root)), ["new", "seq-0000000003", "set"])
    equal(zk.exists(sequential).ephemeralOwner, zk.client_id[0])
    # One transaction is one change.
    equal(zk.exists(s.root).pzxid, stat.mzxid)


@scenario
def transaction_rolls_back(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("checked"))
    before = zk.exists(s.root)
    transaction = zk.transaction()
    transaction.create(s.path("new"))
    transaction.check(s.path("checked"), 7)
    transaction.delete(s.path("checked"))
    kinds = [type(result) for result in transaction.commit()]
    equal(kinds, [RolledBackError, BadVersionError, RuntimeInconsistency])
    equal(zk.exists(s.root), before)
