"""Sessions: what they outlive and what ends with them."""

import subprocess
import sys
import time

from kazoo.client import KazooState
from kazoo.exceptions import ConnectionClosedError

from harness import Listener, Scenario, cut, drop, equal, expire, raises, scenario, wait_until
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
def session_timeout_is_negotiated(s: Scenario) -> None:
    observer = s.client()

    def is_negotiated(timeout: float, expected_ms: int) -> None:
        zk = s.client(timeout=timeout)

        def is_told() -> bool:
            session, _ = zk.client_id or (0, b"")
            lines = observer.command(b"cons").splitlines()
            (line,) = [line for line in lines if f",sid=0x{session:x}," in line] or [""]
            return f",to={expected_ms}," in line

        wait_until(is_told, lambda: f"a timeout of {expected_ms}: {observer.command(b'cons')}")

    is_negotiated(5, 5_000)
    is_negotiated(0.3, 1_000)
    is_negotiated(60, 40_000)


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
def lasting_watches_outlive_a_session(s: Scenario) -> None:
    zk, other = s.clients(2)
    other.create(s.path("dir"), b"0")
    data, children = Listener(), Listener()
    zk.DataWatch(s.path("dir"), lambda value, _stat: data(value))
    zk.ChildrenWatch(s.path("dir"), lambda names: children(sorted(names)))
    session = zk.client_id[0]
    expire(zk)
    wait_until(lambda: (zk.client_id or (session,))[0] != session, "a new session")
    other.set(s.path("dir"), b"1")
    other.create(s.path("dir/child"))
    wait_until(lambda: data.heard[-1] == b"1", lambda: f"the data: {data.heard}")
    wait_until(lambda: children.heard[-1] == ["child"], lambda: f"the child: {children.heard}")


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
def missed_events_are_made_up_for(s: Scenario) -> None:
    zk, other = s.clients(2)
    other.create(s.path("dir"), b"0")
    data, children, event = Listener(), Listener(), EventListener()
    zk.DataWatch(s.path("dir"), lambda value, _stat: data(value))
    zk.ChildrenWatch(s.path("dir"), lambda names: children(sorted(names)))
    zk.get(s.path("dir"), watch=event)
    with cut(zk):
        other.set(s.path("dir"), b"missed")
        other.create(s.path("dir/missed"))
    data.wait_for(b"0", b"missed")
    children.wait_for([], ["missed"])
    # This client forgets its one-shot watches with the connection, and says so.
    event.wait_for(("NONE", None))
    other.set(s.path("dir"), b"seen")
    other.create(s.path("dir/seen"))
    data.wait_for(b"0", b"missed", b"seen")
    children.wait_for([], ["missed"], ["missed", "seen"])


@scenario
def session_can_be_taken_over(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("ephemeral"), ephemeral=True)
    session, password = zk.client_id
    with cut(zk):
        heir = s.client(client_id=(session, password))
        equal(heir.client_id, (session, password))
        equal(heir.exists(s.path("ephemeral")).ephemeralOwner, session)
        heir.delete(s.path("ephemeral"))
        heir.create(s.path("ephemeral"), ephemeral=True)
        heir.stop()
    # It comes back to a session that the heir has ended.
    wait_until(lambda: (zk.client_id or (session,))[0] != session, "a new session")
    equal(zk.exists(s.path("ephemeral")), None)


@scenario
def session_needs_its_password(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("ephemeral"), ephemeral=True)
    session, password = zk.client_id
    thief = s.client(client_id=(session, b"\1" * len(password)))
    assert thief.client_id[0] != session, "the session was taken over with a wrong password"
    # The try may have cost it its connection, and no more.
    equal(zk.retry(zk.exists, s.path("ephemeral")).ephemeralOwner, session)
    equal(zk.client_id, (session, password))


@scenario
def four_letter_words(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("ephemeral"), ephemeral=True)
    equal(zk.command(b"ruok"), "imok")
    equal(zk.command(b"isro"), "rw")
    assert zk.server_version()[0] == 3, zk.server_version()
    session = f"0x{zk.client_id[0]:x}"
    zxid = zk.exists(s.path("ephemeral")).czxid

    lines = zk.command(b"srvr").splitlines()
    assert lines[0].startswith("Zookeeper version: 3."), lines
    facts = dict(line.split(": ", 1) for line in lines[1:])
    equal(facts["Mode"], "standalone")
    assert int(facts["Zxid"], 16) >= zxid and int(facts["Connections"]) >= 1, facts
    assert int(facts["Node count"]) >= 3, facts

    assert "zk_server_state\tstandalone\n" in zk.command(b"mntr")
    assert f"sid={session}," in zk.command(b"cons")
    assert f"{session}:\n\t{s.path('ephemeral')}\n" in zk.command(b"dump")
    for word in (b"stat", b"conf", b"wchs"):
        assert zk.command(word), f"no answer to {word!r}"
