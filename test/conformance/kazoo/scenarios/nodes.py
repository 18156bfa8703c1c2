"""Nodes: creating, reading, writing and deleting them."""

import time

from kazoo.exceptions import (
    BadArgumentsError,
    BadVersionError,
    ConnectionLoss,
    NoChildrenForEphemeralsError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
)

from harness import Listener, Scenario, equal, raises, scenario, wait_until


@scenario
def create_modes(s: Scenario) -> None:
    zk = s.client()
    equal(zk.create(s.path("plain"), b"data"), s.path("plain"))
    data, stat = zk.get(s.path("plain"))
    equal((data, stat.ephemeralOwner, stat.dataLength), (b"data", 0, 4))

    equal(zk.create(s.path("ephemeral"), ephemeral=True), s.path("ephemeral"))
    equal(zk.exists(s.path("ephemeral")).ephemeralOwner, zk.client_id[0])

    zk.create(s.path("queue"))
    first = zk.create(s.path("queue/item-"), sequence=True)
    second = zk.create(s.path("queue/item-"), ephemeral=True, sequence=True)
    third = zk.create(s.path("queue/"), sequence=True)
    equal(first, s.path("queue/item-0000000000"))
    equal(second, s.path("queue/item-0000000001"))
    equal(third, s.path("queue/0000000002"))
    equal(zk.exists(first).ephemeralOwner, 0)
    equal(zk.exists(second).ephemeralOwner, zk.client_id[0])


@scenario
def sequence_counts_creates(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("dir"))
    zk.delete(zk.create(s.path("dir/a"), sequence=True))
    zk.create(s.path("dir/plain"))
    raises(NodeExistsError, zk.create, s.path("dir/plain"))
    equal(zk.create(s.path("dir/a"), sequence=True), s.path("dir/a0000000002"))
    # Reported is the number of changes, creates and deletes, of which there were four.
    equal(zk.exists(s.path("dir")).cversion, 4)


@scenario
def create_with_parents(s: Scenario) -> None:
    zk = s.client()
    raises(NoNodeError, zk.create, s.path("a/b/c"))
    equal(zk.create(s.path("a/b/c"), b"deep", makepath=True), s.path("a/b/c"))
    equal(zk.get(s.path("a/b"))[0], b"")
    equal(zk.ensure_path(s.path("a/b/d")), s.path("a/b/d"))
    equal(zk.ensure_path(s.path("a/b/d")), True)
    equal(sorted(zk.get_children(s.path("a/b"))), ["c", "d"])
    path = zk.create(s.path("e/f/"), ephemeral=True, sequence=True, makepath=True)
    equal(path, s.path("e/f/0000000000"))


@scenario
def create_with_stat(s: Scenario) -> None:
    zk = s.client()
    path, stat = zk.create(s.path("node"), b"12345", include_data=True)
    equal(path, s.path("node"))
    equal(stat, zk.exists(path))
    equal((stat.version, stat.cversion, stat.aversion), (0, 0, 0))
    equal((stat.dataLength, stat.numChildren, stat.ephemeralOwner), (5, 0, 0))
    path, stat = zk.create(s.path("e-"), b"", ephemeral=True, sequence=True, include_data=True)
    equal(path, s.path("e-0000000001"))
    equal((stat.ephemeralOwner, stat.dataLength), (zk.client_id[0], 0))
    raises(NodeExistsError, zk.create, s.path("node"), include_data=True)


@scenario
def create_errors(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("taken"))
    raises(NodeExistsError, zk.create, s.path("taken"))
    raises(NodeExistsError, zk.create, s.path("taken"), ephemeral=True)
    raises(NodeExistsError, zk.create, "/")
    raises(NoNodeError, zk.create, s.path("missing/child"))
    zk.create(s.path("ephemeral"), ephemeral=True)
    raises(NoChildrenForEphemeralsError, zk.create, s.path("ephemeral/child"))
    raises(NoChildrenForEphemeralsError, zk.create, s.path("ephemeral/child"), sequence=True)
    raises(BadArgumentsError, zk.create, s.path("nul\0name"))
    raises(BadArgumentsError, zk.create, s.path("control\x1ename"))


@scenario
def missing_nodes(s: Scenario) -> None:
    zk = s.client()
    equal(zk.exists(s.path("missing")), None)
    for call in (zk.get, zk.get_children, zk.get_acls, zk.delete):
        raises(NoNodeError, call, s.path("missing"))
    raises(NoNodeError, zk.get_children, s.path("missing"), include_data=True)
    raises(NoNodeError, zk.set, s.path("missing"), b"")
    # Nobody is there, whatever version is asked for.
    raises(NoNodeError, zk.set, s.path("missing"), b"", version=3)
    raises(NoNodeError, zk.delete, s.path("missing"), version=3)


@scenario
def set_with_versions(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("node"), b"zero")
    equal(zk.set(s.path("node"), b"one", version=0).version, 1)
    raises(BadVersionError, zk.set, s.path("node"), b"no", version=0)
    raises(BadVersionError, zk.set, s.path("node"), b"no", version=2)
    equal(zk.set(s.path("node"), b"two").version, 2)
    data, stat = zk.get(s.path("node"))
    equal((data, stat.version), (b"two", 2))


@scenario
def delete_with_versions(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("dir/child"), makepath=True)
    zk.set(s.path("dir/child"), b"changed")
    raises(NotEmptyError, zk.delete, s.path("dir"))
    raises(BadVersionError, zk.delete, s.path("dir/child"), version=0)
    equal(zk.delete(s.path("dir/child"), version=1), True)
    raises(NoNodeError, zk.delete, s.path("dir/child"))
    zk.create(s.path("dir/a/b/c"), makepath=True)
    zk.delete(s.path("dir"), recursive=True)
    equal(zk.exists(s.path("dir")), None)


@scenario
def stat_of_a_node(s: Scenario) -> None:
    zk = s.client()
    before = time.time()
    path, created = zk.create(s.path("node"), b"one", include_data=True)
    equal((created.mzxid, created.pzxid), (created.czxid, created.czxid))
    equal(created.ctime, created.mtime)
    assert abs(created.ctime / 1000 - before) < 60, created

    changed = zk.set(path, b"three")
    assert changed.mzxid > created.czxid and changed.mtime >= created.ctime, changed
    equal((changed.czxid, changed.pzxid, changed.dataLength), (created.czxid, created.pzxid, 5))

    _, child = zk.create(f"{path}/child", include_data=True)
    parent = zk.exists(path)
    equal((parent.pzxid, parent.cversion, parent.numChildren), (child.czxid, 1, 1))
    equal((parent.mzxid, parent.version), (changed.mzxid, 1))

    zk.set(f"{path}/child", b"a child's data is not its parent's business")
    equal(zk.exists(path), parent)

    zk.delete(f"{path}/child")
    parent = zk.exists(path)
    assert parent.pzxid > child.czxid, parent
    equal((parent.cversion, parent.numChildren, parent.version), (2, 0, 1))


@scenario
def children_with_stat(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("dir"), b"data")
    equal(zk.get_children(s.path("dir")), [])
    names = [f"child-{number}" for number in range(5)]
    for name in names:
        zk.create(s.path(f"dir/{name}"))
    zk.create(s.path("dir/child-0/grandchild"))
    children, stat = zk.get_children(s.path("dir"), include_data=True)
    equal(sorted(children), names)
    equal(stat, zk.exists(s.path("dir")))
    equal((stat.numChildren, stat.dataLength), (5, 4))
    assert "zookeeper" in zk.get_children("/")


@scenario
def any_data_and_names(s: Scenario) -> None:
    zk = s.client()
    everything = bytes(range(256)) * 4
    zk.create(s.path("bytes"), everything)
    equal(zk.get(s.path("bytes"))[0], everything)
    zk.set(s.path("bytes"), b"")
    data, stat = zk.get(s.path("bytes"))
    equal((data, stat.dataLength), (b"", 0))
    # No data is not the same as data without a byte.
    zk.create(s.path("nothing"), None)
    data, stat = zk.get(s.path("nothing"))
    equal((data, stat.dataLength), (None, 0))

    for name in ("naïve", "日本語", "with space", "ключ"):
        path = zk.create(s.path(name), name.encode("utf-8"))
        equal(path, s.path(name))
        equal(zk.get(path)[0].decode("utf-8"), name)
    assert {"naïve", "日本語", "with space", "ключ"} <= set(zk.get_children(s.root))


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


@scenario
def pipelined_requests(s: Scenario) -> None:
    zk = s.client()
    count = 400
    paths = [s.path(f"item-{number:010}") for number in range(count)]
    creating = [zk.create_async(s.path("item-"), sequence=True) for _ in range(count)]
    equal([result.get(timeout=10) for result in creating], paths)

    # Writes and reads in turn: each read sees the write before it, and not the one after it.
    setting, reading = [], []
    for number in range(count):
        setting.append(zk.set_async(paths[0], str(number).encode("ascii")))
        reading.append(zk.get_async(paths[0]))
    equal([result.get(timeout=10).version for result in setting], list(range(1, count + 1)))
    equal([int(result.get(timeout=10)[0]) for result in reading], list(range(count)))

    deleting = [zk.delete_async(path) for path in paths]
    left = zk.get_children_async(s.root)
    equal(left.get(timeout=10), [])
    assert all(result.get(timeout=10) for result in deleting)


@scenario
def sync_with_others(s: Scenario) -> None:
    writer, reader = s.clients(2)
    writer.create(s.path("node"), b"0")
    for number in range(1, 20):
        writer.set(s.path("node"), str(number).encode("ascii"))
        equal(reader.sync(s.path("node")), s.path("node"))
        equal(reader.get(s.path("node"))[0], str(number).encode("ascii"))
    # What is not there can be waited for as well.
    equal(reader.sync(s.path("missing")), s.path("missing"))


@scenario
def chroot(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("below"), b"its root")
    inner = s.client(chroot=s.path("below"))
    equal(inner.get("/")[0], b"its root")
    equal(inner.create("/a/b", b"1", makepath=True), "/a/b")
    path, _ = inner.create("/a/c", include_data=True)
    equal(path, "/a/c")
    equal(sorted(zk.get_children(s.path("below/a"))), ["b", "c"])
    equal(inner.sync("/a"), "/a")
    transaction = inner.transaction()
    transaction.create("/a/d")
    transaction.delete("/a/c")
    equal(transaction.commit(), ["/a/d", True])
    raises(NoNodeError, inner.get, s.root)
    event = Listener()
    inner.get("/a/b", watch=event)
    zk.set(s.path("below/a/b"), b"2")
    wait_until(lambda: event.heard, "the watch to fire")
    equal([(told.type, told.path) for told in event.heard], [("CHANGED", "/a/b")])
