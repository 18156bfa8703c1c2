"""Who may do what: access lists and credentials."""

from kazoo.exceptions import (
    AuthFailedError,
    BadVersionError,
    ConnectionClosedError,
    InvalidACLError,
    NoAuthError,
    NoNodeError,
)
from kazoo.protocol.states import KazooState, KeeperState
from kazoo.security import (
    ACL,
    CREATOR_ALL_ACL,
    OPEN_ACL_UNSAFE,
    READ_ACL_UNSAFE,
    Id,
    Permissions,
    make_digest_acl,
    make_digest_acl_credential,
)

from harness import Listener, Scenario, drop, equal, raises, scenario, wait_until


@scenario
def digest_acl_refuses_others(s: Scenario) -> None:
    owner = s.client(auth_data=[("digest", "alice:secret")])
    other = s.client()
    path = s.path("private")
    acl = make_digest_acl("alice", "secret", all=True)
    owner.create(path, b"private", acl=[acl])
    equal(owner.get(path)[0], b"private")
    owner.create(f"{path}/child")

    raises(NoAuthError, other.get, path)
    raises(NoAuthError, other.get_children, path)
    raises(NoAuthError, other.get_children, path, include_data=True)
    raises(NoAuthError, other.set, path, b"")
    raises(NoAuthError, other.create, f"{path}/intruder")
    raises(NoAuthError, other.delete, f"{path}/child")
    raises(NoAuthError, other.get_acls, path)
    raises(NoAuthError, other.set_acls, path, OPEN_ACL_UNSAFE)
    # That a node exists is no secret, and neither are its numbers.
    equal(other.exists(path).dataLength, 7)

    other.add_auth("digest", "alice:wrong")
    raises(NoAuthError, other.get, path)
    equal(other.add_auth("digest", "alice:secret"), True)
    equal(other.get(path)[0], b"private")
    equal(other.get_acls(path)[0], [acl])
    other.delete(f"{path}/child")


@scenario
def permissions_one_by_one(s: Scenario) -> None:
    zk, owner = s.client(), s.client(auth_data=[("digest", "owner:pw")])
    admin = make_digest_acl("owner", "pw", all=True)

    def node(name: str, permissions: int) -> str:
        world = ACL(permissions, Id("world", "anyone"))
        path = owner.create(s.path(name), acl=[admin, world])
        owner.create(f"{path}/child")
        return path

    readable = node("readable", Permissions.READ)
    zk.get(readable)
    equal(zk.get_children(readable), ["child"])
    raises(NoAuthError, zk.set, readable, b"")
    raises(NoAuthError, zk.create, f"{readable}/new")
    raises(NoAuthError, zk.delete, f"{readable}/child")

    writable = node("writable", Permissions.WRITE)
    zk.set(writable, b"written")
    raises(NoAuthError, zk.get, writable)

    extensible = node("extensible", Permissions.CREATE)
    zk.create(f"{extensible}/new")
    raises(NoAuthError, zk.delete, f"{extensible}/new")
    raises(NoAuthError, zk.get_children, extensible)

    erasable = node("erasable", Permissions.DELETE)
    zk.delete(f"{erasable}/child")
    raises(NoAuthError, zk.create, f"{erasable}/child")

    administrable = node("administrable", Permissions.ADMIN)
    zk.set_acls(administrable, OPEN_ACL_UNSAFE)
    zk.get(administrable)
    raises(NoAuthError, zk.set_acls, readable, OPEN_ACL_UNSAFE)

    for path in (readable, writable, extensible, erasable, administrable):
        owner.delete(path, recursive=True)


@scenario
def acl_of_the_creator(s: Scenario) -> None:
    anonymous = s.client()
    raises(InvalidACLError, anonymous.create, s.path("mine"), acl=CREATOR_ALL_ACL)
    equal(anonymous.exists(s.path("mine")), None)

    zk = s.client()
    zk.add_auth("digest", "one:1")
    zk.add_auth("digest", "two:2")
    zk.create(s.path("mine"), acl=CREATOR_ALL_ACL)
    acls, _ = zk.get_acls(s.path("mine"))
    names = [make_digest_acl_credential("one", "1"), make_digest_acl_credential("two", "2")]
    equal(sorted(acls), sorted(ACL(Permissions.ALL, Id("digest", name)) for name in names))
    raises(NoAuthError, anonymous.get, s.path("mine"))
    anonymous.add_auth("digest", "two:2")
    anonymous.get(s.path("mine"))


@scenario
def set_acls_with_versions(s: Scenario) -> None:
    zk = s.client()
    path, created = zk.create(s.path("node"), include_data=True)
    acls, stat = zk.get_acls(path)
    equal((acls, stat), (OPEN_ACL_UNSAFE, created))
    changed = zk.set_acls(path, READ_ACL_UNSAFE + OPEN_ACL_UNSAFE, version=0)
    equal((changed.aversion, changed.version, changed.mzxid), (1, 0, created.mzxid))
    raises(BadVersionError, zk.set_acls, path, READ_ACL_UNSAFE, version=0)
    raises(NoNodeError, zk.set_acls, s.path("missing"), OPEN_ACL_UNSAFE)
    equal(zk.get_acls(path), (READ_ACL_UNSAFE + OPEN_ACL_UNSAFE, changed))
    zk.set_acls(path, READ_ACL_UNSAFE)
    raises(NoAuthError, zk.set, path, b"")


@scenario
def invalid_acls(s: Scenario) -> None:
    zk = s.client()
    zk.create(s.path("node"))
    invalid = [
        [],
        [ACL(Permissions.ALL, Id("nosuchscheme", "anyone"))],
        [ACL(Permissions.ALL, Id("world", "somebody"))],
        [ACL(Permissions.ALL, Id("digest", "no-colon"))],
    ]
    for acl in invalid:
        raises(InvalidACLError, zk.set_acls, s.path("node"), acl)
    for acl in invalid[1:]:
        raises(InvalidACLError, zk.create, s.path("other"), acl=acl)
    equal(zk.get_acls(s.path("node"))[0], OPEN_ACL_UNSAFE)


@scenario
def transactions_respect_acls(s: Scenario) -> None:
    owner, other = s.client(), s.client()
    owner.add_auth("digest", "owner:pw")
    owner.create(s.path("private"), acl=CREATOR_ALL_ACL)
    transaction = other.transaction()
    transaction.create(s.path("public"))
    transaction.set_data(s.path("private"), b"")
    equal(type(transaction.commit()[1]), NoAuthError)
    equal(owner.exists(s.path("public")), None)


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
