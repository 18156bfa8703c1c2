"""Sessions: what they outlive and what ends with them."""

import subprocess
import sys
import time

from kazoo.client import KazooState
from kazoo.exceptions import ConnectionClosedError

from harness import Listener, Scenario, drop, equal, expire, raises, scenario, wait_until
from watches import EventListener

LOST, SUSPENDED, CONNECTED = KazooState.LOST, KazooState.SUSPENDED, KazooState.CONNECTED


@scenario
def session_starts_and_stops(s: Scenario) -> None:
    zk, other = s.clients(2)
    states = Listener()
    zk.add_listener(states)
    session, password = zk.client_id
    assert session != 0 and len(password) == 16, zk.client_id
    assert session != other.client_id[0]
    zk.create(s.path("ephemeral"), ephemeral=True)
    gone = EventListener()
    other.exists(s.path("ephemeral"), watch=gone)
    zk.stop()
    equal(states.heard, [LOST])
    # The answer to "close" comes when the session's nodes are gone.
    equal(other.exists(s.path("ephemeral")), None)
    gone.wait_for(("DELETED", s.path("ephemeral")))
    raises(ConnectionClosedError, zk.get, s.root)
    zk.start()
    assert zk.client_id[0] != session
    zk.restart()
    zk.create(s.path("ephemeral"), ephemeral=True)


@scenario
def expired_session_is_replaced(s: Scenario) -> None:
    zk, other = s.clients(2)
    zk.create(s.path("ephemeral"), ephemeral=True)
    zk.create(s.path("persistent"))
    session = zk.client_id[0]
    states, gone = Listener(), EventListener()
    zk.add_listener(states)
    other.exists(s.path("ephemeral"), watch=gone)
    expire(zk)
    gone.wait_for(("DELETED", s.path("ephemeral")))
    wait_until(lambda: states.heard[-2:] == [LOST, CONNECTED], "a new session")
    assert zk.client_id[0] != session
    equal(zk.exists(s.path("ephemeral")), None)
    assert zk.exists(s.path("persistent"))
    zk.create(s.path("ephemeral"), ephemeral=True)


@scenario
def silent_session_expires(s: Scenario) -> None:
    zk, idle = s.client(), s.client(timeout=2.0)
    session = idle.client_id
    path = s.path("ephemeral")
    program = (
        "import sys; from kazoo.client import KazooClient;"
        "zk = KazooClient(sys.argv[1], timeout=2.0); zk.start();"
        "zk.create(sys.argv[2], ephemeral=True); print('created', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, s.hosts, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        equal(process.stdout.readline(), b"created\n")
        killed = time.monotonic()
        process.kill()
    gone = EventListener()
    assert zk.exists(path, watch=gone), "the node went with the connection, not with the session"
    gone.wait_for(("DELETED", path))
    # An idle client keeps its session by pings.
    equal(idle.retry(idle.exists, path), None)
    equal(idle.client_id, session)
    # The last request was answered just before the end, and two seconds were granted after it.
    assert time.monotonic() - killed > 1.7, "the session ended before its time"


@scenario
def reconnect_keeps_the_session(s: Scenario) -> None:
    zk, other = s.clients(2)
    zk.create(s.path("ephemeral"), ephemeral=True)
    session = zk.client_id
    states, gone = Listener(), EventListener()
    zk.add_listener(states)
    other.exists(s.path("ephemeral"), watch=gone)
    for _ in range(3):
        drop(zk)
        states.wait_for(SUSPENDED, CONNECTED)
        states.heard.clear()
        equal(zk.client_id, session)
        equal(zk.exists(s.path("ephemeral")).ephemeralOwner, session[0])
    equal(gone.heard, [])


@scenario
def four_letter_words(s: Scenario) -> None:
    zk = s.client()
    equal(zk.command(b"isro"), "rw")
    equal(zk.server_version()[:2], (3, 8))
