"""Nodes: creating, reading, writing and deleting them."""

from kazoo.exceptions import (
    BadArgumentsError,
    BadVersionError,
    ConnectionLoss,
    NoChildrenForEphemeralsError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
)

from harness import Scenario, equal, raises, scenario


@scenario
def create_modes(s: Scenario) -> None:
    zk = s.client()
    session = zk.client_id[0]
    equal(zk.create(s.path("plain"), b"data"), s.path("plain"))
    for count, ephemeral in enumerate((False, True), start=1):
        path, stat = zk.create(s.path("n-"), ephemeral=ephemeral, sequence=True, include_data=True)
        equal(path, s.path(f"n-{count:010}"))
        equal(stat, zk.exists(path))
        equal(stat.ephemeralOwner, session if ephemeral else 0)
    children, stat = zk.get_children(s.root, include_data=True)
    equal(sorted(children), ["n-0000000001", "n-0000000002", "plain"])
    equal(stat, zk.exists(s.root))


@scenario
def errors_are_told_apart(s: Scenario) -> None:
    zk = s.client()
    equal(zk.exists(s.path("missing")), None)
    for call in (zk.get, zk.get_children, zk.get_acls, zk.delete):
        raises(NoNodeError, call, s.path("missing"))
    zk.create(s.path("ephemeral"), ephemeral=True)
    raises(NoChildrenForEphemeralsError, zk.create, s.path("ephemeral/child"))
    raises(BadArgumentsError, zk.create, s.path("nul\0name"))
    zk.create(s.path("dir/child"), makepath=True)
    raises(NodeExistsError, zk.create, s.path("dir"))
    raises(NotEmptyError, zk.delete, s.path("dir"))
    equal(zk.set(s.path("dir/child"), b"one", version=0).version, 1)
    raises(BadVersionError, zk.set, s.path("dir/child"), b"no", version=0)
    raises(BadVersionError, zk.delete, s.path("dir/child"), version=0)
    zk.delete(s.path("dir"), recursive=True)


@scenario
def any_data_and_names(s: Scenario) -> None:
    zk = s.client()
    everything = bytes(range(256)) * 4
    # No data is not the same as data without a byte.
    for name, data in (("naïve", everything), ("日本語", b""), ("with space", None)):
        equal(zk.create(s.path(name), data), s.path(name))
        read, stat = zk.get(s.path(name))
        equal((read, stat.dataLength), (data, len(data or b"")))
    equal(set(zk.get_children(s.root)), {"naïve", "日本語", "with space"})


@scenario
def large_data(s: Scenario) -> None:
    zk = s.client()
    large = b"x" * 1_000_000
    zk.create(s.path("large"), large)
    equal(zk.get(s.path("large"))[0], large)
    session = zk.client_id[0]
    # More than the server reads in one request: it hangs up, and the session goes on.
    raises(ConnectionLoss, zk.set, s.path("large"), b"x" * 1_200_000)
    stat = zk.retry(zk.exists, s.path("large"))
    equal((stat.version, zk.client_id[0]), (0, session))
