"""Watches: the server's, which fire once, and those that kazoo sets again."""

from typing import Any

from kazoo.exceptions import NoNodeError
from kazoo.protocol.states import WatchedEvent

from harness import Listener, Scenario, cut, equal, raises, scenario


class EventListener(Listener):
    """Keeps the kind and the path of each event."""

    def __call__(self, told: WatchedEvent, *_: Any) -> None:
        self.heard.append((told.type, told.path))


@scenario
def watches_fire_once(s: Scenario) -> None:
    zk, other = s.clients(2)
    path = s.path("node")
    refused, created, changed, child, deleted, last = (EventListener() for _ in range(6))
    raises(NoNodeError, zk.get, path, watch=refused)
    raises(NoNodeError, zk.get_children, path, watch=refused)
    equal(zk.exists(path, watch=created), None)
    other.create(path, b"0")
    created.wait_for(("CREATED", path))

    zk.get(path, watch=changed)
    other.set(path, b"1")
    changed.wait_for(("CHANGED", path))

    zk.get_children(path, watch=child, include_data=True)
    other.create(f"{path}/child")
    child.wait_for(("CHILD", path))
    other.delete(f"{path}/child")

    zk.exists(path, watch=deleted)
    other.delete(path)
    deleted.wait_for(("DELETED", path))

    zk.exists(path, watch=last)
    other.create(path)
    last.wait_for(("CREATED", path))
    # The events of one session come in order, so that nothing can be under way any more.
    heard = [len(event.heard) for event in (refused, created, changed, child, deleted)]
    equal(heard, [0, 1, 1, 1, 1])


@scenario
def missed_events_are_made_up_for(s: Scenario) -> None:
    zk, other = s.clients(2)
    other.create(s.path("dir"), b"0")
    data, children = Listener(), Listener()
    zk.DataWatch(s.path("dir"), lambda value, _stat: data(value))
    zk.ChildrenWatch(s.path("dir"), lambda names: children(sorted(names)))
    with cut(zk):
        other.set(s.path("dir"), b"missed")
        other.create(s.path("dir/missed"))
    data.wait_for(b"0", b"missed")
    children.wait_for([], ["missed"])
    other.set(s.path("dir"), b"seen")
    other.create(s.path("dir/seen"))
    data.wait_for(b"0", b"missed", b"seen")
    children.wait_for([], ["missed"], ["missed", "seen"])
