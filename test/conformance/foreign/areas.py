"""Tests the features of ZooKeeper that kazoo needs: `areas.py <host:port> <root>`.

Prints the name of each area that is as it should be, and the trace of each other one as an error.
"""

import socket
import sys
import threading
import time
import traceback
from typing import Any, Callable, List

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import (
    BadVersionError,
    InvalidACLError,
    NoAuthError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RolledBackError,
    RuntimeInconsistency,
)
from kazoo.security import CREATOR_ALL_ACL, OPEN_ACL_UNSAFE

DEADLINE = 10.0
HOSTS, ROOT = sys.argv[1:]


def nodes(zk: KazooClient, _: KazooClient) -> None:
    for count, ephemeral in enumerate((False, True)):
        path, stat = zk.create(f"{ROOT}/n-", ephemeral=ephemeral, sequence=True, include_data=True)
        equal(path, f"{ROOT}/n-{count:010}")
        equal(stat.ephemeralOwner, zk.client_id[0] if ephemeral else 0)
    # Missing data and empty data differ.
    for name, data in (("naïve", bytes(range(256))), ("日本語", b""), ("with space", None)):
        zk.create(f"{ROOT}/{name}", data)
        equal(zk.get(f"{ROOT}/{name}")[0], data)
    zk.create(f"{ROOT}/dir/child", makepath=True)
    for kind, call in (
        (NoNodeError, lambda: zk.get(f"{ROOT}/missing")),
        (NodeExistsError, lambda: zk.create(f"{ROOT}/dir")),
        (NotEmptyError, lambda: zk.delete(f"{ROOT}/dir")),
        (BadVersionError, lambda: zk.set(f"{ROOT}/dir", b"", version=7)),
    ):
        raises(kind, call)


def transactions(zk: KazooClient, _: KazooClient) -> None:
    zk.create(f"{ROOT}/set", b"0")
    done, undone = zk.transaction(), zk.transaction()
    done.check(f"{ROOT}/set", 0)
    done.create(f"{ROOT}/seq-", ephemeral=True, sequence=True)
    done.set_data(f"{ROOT}/set", b"changed", version=0)
    checked, created, stat = done.commit()
    equal((checked, zk.exists(created).ephemeralOwner), (True, zk.client_id[0]))
    equal(stat, zk.exists(f"{ROOT}/set"))
    undone.create(f"{ROOT}/new")
    undone.check(f"{ROOT}/set", 7)
    undone.delete(f"{ROOT}/set")
    kinds = [type(result) for result in undone.commit()]
    equal(kinds, [RolledBackError, BadVersionError, RuntimeInconsistency])


def access_lists(zk: KazooClient, other: KazooClient) -> None:
    zk.add_auth("digest", "alice:secret")
    path = zk.create(f"{ROOT}/private", b"private", acl=CREATOR_ALL_ACL)
    raises(InvalidACLError, lambda: other.create(f"{ROOT}/mine", acl=CREATOR_ALL_ACL))
    raises(NoAuthError, lambda: other.get(path))
    other.add_auth("digest", "alice:secret")
    changed = other.set_acls(path, OPEN_ACL_UNSAFE, version=0)
    equal(zk.get_acls(path), (OPEN_ACL_UNSAFE, changed))


def watches(zk: KazooClient, other: KazooClient) -> None:
    path = other.create(f"{ROOT}/watched", b"0")
    data: List[bytes] = []
    children: List[List[str]] = []
    zk.DataWatch(path, lambda value, _: data.append(value))
    zk.ChildrenWatch(path, lambda names: children.append(sorted(names)))
    other.set(path, b"told")
    wait_until(lambda: data == [b"0", b"told"], lambda: data)
    # After a reconnect, a watch reports changes made meanwhile.
    suspended, may_reconnect = threading.Event(), threading.Event()

    def hold(state: str) -> bool:
        # Runs on the thread that would reconnect.
        if state != KazooState.SUSPENDED:
            return False
        suspended.set()
        may_reconnect.wait(DEADLINE)
        return True

    zk.add_listener(hold)
    drop(zk)
    assert suspended.wait(DEADLINE), "the client did not notice that its connection was cut"
    other.set(path, b"missed")
    other.create(f"{path}/missed")
    may_reconnect.set()
    wait_until(lambda: data == [b"0", b"told", b"missed"], lambda: data)
    wait_until(lambda: children == [[], ["missed"]], lambda: children)


def sessions(zk: KazooClient, other: KazooClient) -> None:
    zk.add_auth("digest", "owner:pw")
    zk.create(f"{ROOT}/owned", b"owned", acl=CREATOR_ALL_ACL)
    path = zk.create(f"{ROOT}/ephemeral", ephemeral=True)
    before, states = zk.client_id, []
    zk.add_listener(states.append)
    drop(zk)
    wait_until(lambda: states == [KazooState.SUSPENDED, KazooState.CONNECTED], lambda: states)
    # The client sends its identities again on each connection.
    equal(zk.get(f"{ROOT}/owned")[0], b"owned")
    zk.delete(f"{ROOT}/owned")
    equal((zk.client_id, zk.exists(path).ephemeralOwner), (before, before[0]))

    # If the client reconnects faster, it resumes its session.
    while other.exists(path):
        thief = KazooClient(HOSTS, client_id=before)
        thief.start(timeout=DEADLINE)
        thief.stop()
        thief.close()
    wait_until(lambda: states[-2:] == [KazooState.LOST, KazooState.CONNECTED], lambda: states)
    assert zk.client_id[0] != before[0]


def drop(client: KazooClient) -> None:
    """Breaks the client's connection."""
    client._connection._socket.shutdown(socket.SHUT_RDWR)


def wait_until(condition: Callable[[], Any], seen: Callable[[], Any]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"waited {DEADLINE} s; last seen: {seen()}"
        time.sleep(0.002)


def equal(actual: object, expected: object) -> None:
    assert actual == expected, f"expected {expected!r}, got {actual!r}"


def raises(kind: type, call: Callable[[], Any]) -> None:
    try:
        value = call()
    except kind:
        return
    raise AssertionError(f"expected {kind.__name__}, got the value {value!r}")


def main() -> None:
    for area in (nodes, transactions, access_lists, watches, sessions):
        # Clients of its own: kazoo drops a connection if the answer to add_auth overtakes the
        # answer to a read, such as one of an earlier area's watches.
        clients = [connect() for _ in "ab"]
        try:
            area(*clients)
            print(area.__name__.replace("_", " "))
        except Exception:
            traceback.print_exc()
        for client in clients:
            client.stop()
            client.close()


def connect() -> KazooClient:
    client = KazooClient(HOSTS, connection_retry={"max_tries": -1, "delay": 0.02})
    client.start(timeout=DEADLINE)
    return client


main()
