"""Watches: the server's, which fire once, and the lasting ones that kazoo makes of them."""

from typing import Any

from kazoo.exceptions import NoNodeError
from kazoo.protocol.states import WatchedEvent

from harness import Listener, Scenario, equal, raises, scenario, wait_until


class EventListener(Listener):
    """Keeps the kind and the path of each event."""

    def __call__(self, told: WatchedEvent, *_: Any) -> None:
        self.heard.append((told.type, told.path))


@scenario
def one_shot_data_watches(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("node")
    created, changed, deleted, last = (EventListener() for _ in range(4))

    equal(zk.exists(path, watch=created), None)
    other.create(path, b"0")
    created.wait_for(("CREATED", path))

    zk.get(path, watch=changed)
    other.set(path, b"1")
    changed.wait_for(("CHANGED", path))

    zk.exists(path, watch=deleted)
    other.delete(path)
    deleted.wait_for(("DELETED", path))

    zk.exists(path, watch=last)
    other.create(path)
    last.wait_for(("CREATED", path))
    # The events of one session come in order, so that nothing can be under way any more.
    equal([len(event.heard) for event in (created, changed, deleted)], [1, 1, 1])


@scenario
def one_shot_child_watches(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("dir")
    other.create(path)
    added, removed, gone, data = (EventListener() for _ in range(4))

    zk.get_children(path, watch=added)
    zk.get(path, watch=data)
    other.create(f"{path}/child")
    added.wait_for(("CHILD", path))

    zk.get_children(path, watch=removed, include_data=True)
    # A child's data is no change of the parent.
    other.set(f"{path}/child", b"data")
    other.delete(f"{path}/child")
    removed.wait_for(("CHILD", path))

    zk.get_children(path, watch=gone)
    other.delete(path)
    gone.wait_for(("DELETED", path))
    data.wait_for(("DELETED", path))
    equal([len(event.heard) for event in (added, removed)], [1, 1])


@scenario
def watches_of_failed_reads(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("node")
    refused, asked = EventListener(), EventListener()
    raises(NoNodeError, zk.get, path, watch=refused)
    raises(NoNodeError, zk.get_children, path, watch=refused)
    zk.exists(path, watch=asked)
    other.create(path)
    # Only "exists" watches what is not there.
    asked.wait_for(("CREATED", path))
    equal(refused.heard, [])


@scenario
def watches_of_several_sessions(s: Scenario) -> None:
    first, second, writer = s.clients(3)
    path = s.path("node")
    writer.create(path)
    events = [EventListener() for _ in range(4)]
    first.get(path, watch=events[0])
    first.exists(path, watch=events[1])
    second.get(path, watch=events[2])
    # A client hears of its own changes like anybody else.
    writer.get(path, watch=events[3])
    writer.set(path, b"1")
    for event in events:
        event.wait_for(("CHANGED", path))


@scenario
def events_come_in_order(s: Scenario) -> None:
    zk, other = s.clients(2)
    paths = [s.path(f"node-{number:03}") for number in range(200)]
    for created in [other.create_async(path) for path in paths]:
        created.get(timeout=10)
    event = EventListener()
    for watching in [zk.exists_async(path, watch=event) for path in paths]:
        assert watching.get(timeout=10)
    changing = paths[::2] + paths[1::2]
    for path in changing:
        other.delete_async(path)
    event.wait_for(*(("DELETED", path) for path in changing))


@scenario
def data_watch_follows_a_node(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("node")
    seen = Listener()

    @zk.DataWatch(path)
    def follow(data: Any, stat: Any, event: Any) -> None:
        seen((data, stat and stat.version, event and event.type))

    seen.wait_for((None, None, None))
    other.create(path, b"0")
    wait_until(lambda: len(seen.heard) == 2, "the watch to see the node")
    other.set(path, b"1")
    wait_until(lambda: len(seen.heard) == 3, "the watch to see the change")
    other.delete(path)
    wait_until(lambda: len(seen.heard) == 4, "the watch to see the end")
    other.create(path, b"again")
    seen.wait_for(
        (None, None, None),
        (b"0", 0, "CREATED"),
        (b"1", 1, "CHANGED"),
        (None, None, "DELETED"),
        (b"again", 0, "CREATED"),
    )


@scenario
def data_watch_ends_on_false(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("node")
    other.create(path, b"0")
    until_one, lasting = Listener(), Listener()

    @zk.DataWatch(path)
    def stop_at_one(data: bytes, _stat: Any) -> bool:
        until_one(data)
        return data != b"1"

    zk.DataWatch(path, lambda data, _stat: lasting(data))
    other.set(path, b"1")
    until_one.wait_for(b"0", b"1")
    lasting.wait_for(b"0", b"1")
    other.set(path, b"2")
    lasting.wait_for(b"0", b"1", b"2")
    other.set(path, b"3")
    lasting.wait_for(b"0", b"1", b"2", b"3")
    equal(until_one.heard, [b"0", b"1"])


@scenario
def children_watch_follows_a_directory(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("dir")
    other.create(path)
    seen, kinds = Listener(), Listener()

    def follow(children: Any, event: Any) -> Any:
        seen(sorted(children))
        kinds(event and event.type)
        return sorted(children) != ["c"]

    zk.ChildrenWatch(path, follow, send_event=True)
    seen.wait_for([])
    other.create(f"{path}/a")
    wait_until(lambda: len(seen.heard) == 2, "the watch to see a")
    other.create(f"{path}/c")
    wait_until(lambda: len(seen.heard) == 3, "the watch to see c")
    other.delete(f"{path}/a")
    seen.wait_for([], ["a"], ["a", "c"], ["c"])
    equal(kinds.heard, [None, "CHILD", "CHILD", "CHILD"])
    # It has ended with its last answer.
    event = EventListener()
    zk.get_children(path, watch=event)
    other.delete(f"{path}/c")
    event.wait_for(("CHILD", path))
    equal(len(seen.heard), 4)
