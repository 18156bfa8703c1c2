"""Who may do what: access lists and credentials."""

from kazoo.exceptions import AuthFailedError, ConnectionClosedError, InvalidACLError, NoAuthError
from kazoo.protocol.states import KazooState, KeeperState
from kazoo.security import CREATOR_ALL_ACL, OPEN_ACL_UNSAFE, make_digest_acl

from harness import Listener, Scenario, drop, equal, raises, scenario, wait_until


@scenario
def acl_of_the_creator_refuses_others(s: Scenario) -> None:
    owner, other = s.client(auth_data=[("digest", "alice:secret")]), s.client()
    path = s.path("private")
    raises(InvalidACLError, other.create, path, acl=CREATOR_ALL_ACL)
    owner.create(path, b"private", acl=CREATOR_ALL_ACL)
    acl = [make_digest_acl("alice", "secret", all=True)]
    equal(owner.get_acls(path)[0], acl)

    raises(NoAuthError, other.get, path)
    raises(NoAuthError, other.set_acls, path, OPEN_ACL_UNSAFE)
    transaction = other.transaction()
    transaction.set_data(path, b"")
    equal(type(transaction.commit()[0]), NoAuthError)

    other.add_auth("digest", "alice:wrong")
    raises(NoAuthError, other.get, path)
    equal(other.add_auth("digest", "alice:secret"), True)
    equal(other.get(path)[0], b"private")
    changed = other.set_acls(path, OPEN_ACL_UNSAFE, version=0)
    equal(other.get_acls(path), (OPEN_ACL_UNSAFE, changed))


@scenario
def credentials_outlive_a_connection(s: Scenario) -> None:
    zk = s.client()
    zk.add_auth("digest", "owner:pw")
    zk.create(s.path("private"), b"private", acl=CREATOR_ALL_ACL)
    session = zk.client_id[0]
    drop(zk)
    wait_until(lambda: not zk.connected, "the connection to be lost")
    # Whom a connection belongs to is told anew on each.
    equal(zk.retry(zk.get, s.path("private"))[0], b"private")
    equal(zk.client_id[0], session)


@scenario
def unknown_auth_scheme(s: Scenario) -> None:
    zk = s.client(timeout=1.0)
    states = Listener()
    zk.add_listener(states)
    raises(AuthFailedError, zk.add_auth, "nosuchscheme", "x")
    # It tries once more, is refused again, and gives up.
    wait_until(lambda: zk.client_state == KeeperState.CLOSED, "the client to give up")
    equal(states.heard[0], KazooState.LOST)
    raises(ConnectionClosedError, zk.get, s.root)
