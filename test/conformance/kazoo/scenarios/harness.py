"""What scenarios are made of: clients that are closed afterwards, and waiting for conditions."""

import socket
import struct
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator, List, Tuple

from kazoo.client import KazooClient, KazooState

SCENARIOS: Dict[str, Callable[["Scenario"], None]] = {}

DEADLINE = 10.0


def scenario(function: Callable[["Scenario"], None]) -> Callable[["Scenario"], None]:
    """Puts a function on the list, under its own name."""
    assert function.__name__ not in SCENARIOS, f"two scenarios are called {function.__name__}"
    SCENARIOS[function.__name__] = function
    return function


class Scenario:
    """One run of one scenario, with a root of its own."""

    def __init__(self, hosts: str, root: str):
        self.hosts = hosts
        self.root = root
        self._opened = ExitStack()

    def client(self, **options: Any) -> KazooClient:
        """A connected client; it is closed when the scenario is over."""
        # The default delays grow up to an hour, and make up most of the time that contention takes.
        options.setdefault("connection_retry", {"max_tries": -1, "delay": 0.02, "max_delay": 0.2})
        options.setdefault("command_retry", {"max_tries": -1, "delay": 0.005, "max_delay": 0.05})
        client = KazooClient(self.hosts, **options)
        self._opened.callback(client.close)
        self._opened.callback(client.stop)
        client.start(timeout=DEADLINE)
        return client

    def clients(self, count: int) -> List[KazooClient]:
        return [self.client() for _ in range(count)]

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def close(self) -> None:
        self._opened.close()


class Listener:
    """A listener that keeps what it was told; of several arguments the first."""

    def __init__(self) -> None:
        self.heard: List[Any] = []

    def __call__(self, told: Any, *_: Any) -> None:
        self.heard.append(told)

    def wait_for(self, *expected: Any) -> None:
        """Waits until exactly this was heard, in this order."""
        wait_until(
            lambda: self.heard == list(expected),
            lambda: f"{list(expected)} to be heard, which is {self.heard}",
        )


def wait_until(condition: Callable[[], Any], what: Any, timeout: float = DEADLINE) -> Any:
    """Asks again and again until the condition is true; `what` ends the sentence "waited for"."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout} s for {what() if callable(what) else what}")
        time.sleep(0.002)


def equal(actual: Any, expected: Any) -> None:
    assert actual == expected, f"expected {expected!r}, got {actual!r}"


def raises(kind: type, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Expects exactly this kind of exception: not a subclass, which may mean something else."""
    try:
        value = function(*args, **kwargs)
    except Exception as error:
        assert type(error) is kind, f"expected {kind.__name__}, got {error!r}"
    else:
        raise AssertionError(f"expected {kind.__name__}, got the value {value!r}")


@contextmanager
def cut(client: KazooClient) -> Iterator[None]:
    """Breaks the client's connection, and keeps it from connecting again inside the block."""
    suspended, may_reconnect = threading.Event(), threading.Event()

    def hold(state: str) -> bool:
        # Runs on the thread that would connect again.
        if state != KazooState.SUSPENDED:
            return False
        suspended.set()
        may_reconnect.wait(DEADLINE)
        return True

    client.add_listener(hold)
    drop(client)
    assert suspended.wait(DEADLINE), "the client did not notice that its connection was cut"
    try:
        yield
    finally:
        may_reconnect.set()


def drop(client: KazooClient) -> None:
    """Breaks the client's connection."""
    client._connection._socket.shutdown(socket.SHUT_RDWR)


def expire(client: KazooClient) -> None:
    """Ends the client's session from another connection, so that the client finds it expired."""
    session, password = client.client_id
    while not _close_session(client.hosts[0], session, password):
        pass  # The client was faster in connecting again, and so took its session back.


def _close_session(address: Tuple[str, int], session: int, password: bytes) -> bool:
    connect = struct.pack("!iqiqi", 0, 0, 10_000, session, len(password)) + password + b"\0"
    close = struct.pack("!ii", 1, -11)
    with socket.create_connection(address, DEADLINE) as raw:
        # In one go: after the first the server ends the other connection.
        raw.sendall(b"".join(struct.pack("!i", len(frame)) + frame for frame in (connect, close)))
        answer = b""
        while chunk := raw.recv(4096):
            answer += chunk
    if len(answer) < 12:
        return False
    (length, _, timeout) = struct.unpack_from("!iii", answer)
    # No time is left to a session that is over; and an answer to "close" follows when it is now.
    return timeout == 0 or len(answer) > 4 + length
