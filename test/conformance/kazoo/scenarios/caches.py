"""A cache of a tree, and a set that is divided among clients."""

from typing import Any, List

from kazoo.client import KazooClient
from kazoo.recipe.cache import TreeCache, TreeEvent
from kazoo.recipe.partitioner import SetPartitioner

from harness import Listener, Scenario, cut, equal, scenario, wait_until


def tree_cache(client: KazooClient, path: str) -> Any:
    """A started cache, and what it tells: kinds of events, with path and data if it has them."""
    cache, told, faults = TreeCache(client, path), Listener(), Listener()

    def listen(event: TreeEvent) -> None:
        node = event.event_data
        told((event.event_type, node and node.path[len(path) :], node and node.data))

    cache.listen(listen)
    cache.listen_fault(faults)
    cache.start()
    wait_until(lambda: (TreeEvent.INITIALIZED, None, None) in told.heard, "the cache to be filled")
    equal(faults.heard, [])
    return cache, told


@scenario
def tree_cache_follows_a_tree(s: Scenario) -> None:
    zk, other = s.clients(2)
    root = s.path("tree")
    other.create(f"{root}/a/b", b"ab", makepath=True)
    other.set(root, b"root")
    cache, told = tree_cache(zk, root)
    added, updated, removed = TreeEvent.NODE_ADDED, TreeEvent.NODE_UPDATED, TreeEvent.NODE_REMOVED
    expected = [
        (added, "", b"root"),
        (added, "/a", b""),
        (added, "/a/b", b"ab"),
        (TreeEvent.INITIALIZED, None, None),
    ]
    told.wait_for(*expected)
    equal(cache.get_data(f"{root}/a/b").data, b"ab")
    equal(cache.get_children(root), frozenset(["a"]))

    def after(event: Any) -> None:
        expected.append(event)
        told.wait_for(*expected)

    other.create(f"{root}/c", b"c")
    after((added, "/c", b"c"))
    other.set(f"{root}/a/b", b"new")
    after((updated, "/a/b", b"new"))
    other.create(f"{root}/c/d", b"d")
    after((added, "/c/d", b"d"))
    other.delete(f"{root}/c/d")
    after((removed, "/c/d", b"d"))
    other.delete(f"{root}/a/b")
    after((removed, "/a/b", b"new"))
    equal(cache.get_data(f"{root}/a/b"), None)
    equal(cache.get_data(f"{root}/a/b", default=0), 0)
    equal(cache.get_children(root), frozenset(["a", "c"]))
    cache.close()


@scenario
def tree_cache_catches_up(s: Scenario) -> None:
    zk, other = s.clients(2)
    root = s.path("tree")
    other.create(f"{root}/kept", b"0", makepath=True)
    other.create(f"{root}/kept/child", b"0")
    cache, told = tree_cache(zk, root)
    with cut(zk):
        other.set(f"{root}/kept", b"1")
        other.create(f"{root}/new", b"new")
    wait_until(
        lambda: cache.get_data(f"{root}/new") and cache.get_data(f"{root}/kept").data == b"1",
        lambda: f"the cache to see what it has missed: {told.heard}",
    )
    assert (TreeEvent.CONNECTION_SUSPENDED, None, None) in told.heard, told.heard
    assert (TreeEvent.CONNECTION_RECONNECTED, None, None) in told.heard, told.heard
    # Its watches work on the new connection.
    other.set(f"{root}/kept/child", b"later")
    wait_until(
        lambda: cache.get_data(f"{root}/kept/child").data == b"later", "the watch to fire again"
    )
    cache.close()


def partition(members: List[SetPartitioner]) -> List[List[str]]:
    """The parts of all members, once each has its part."""

    def settled() -> bool:
        for member in members:
            assert not member.failed, "a partitioner has failed"
            if member.release:
                member.release_set()
        return all(member.acquired for member in members)

    wait_until(settled, lambda: f"all to have a part: {[member.state for member in members]}")
    return [sorted(member) for member in members]


@scenario
def set_is_partitioned(s: Scenario) -> None:
    clients = s.clients(3)
    items = tuple("abcde")

    def join(number: int) -> SetPartitioner:
        return clients[number].SetPartitioner(
            s.path("set"), set=items, identifier=str(number), time_boundary=0.1
        )

    members = [join(0), join(1)]
    equal(partition(members), [["a", "c", "e"], ["b", "d"]])
    members.append(join(2))
    wait_until(lambda: members[0].release, "the first to hear of the third")
    equal(partition(members), [["a", "d"], ["b", "e"], ["c"]])
    # Who ends his session leaves his part to the others.
    clients[0].stop()
    wait_until(lambda: members[1].release, "the second to hear of it")
    equal(partition(members[1:]), [["a", "c", "e"], ["b", "d"]])
    for member in members[1:]:
        member.finish()
