"""What kazoo sends: run by clients.capture.ts with the port of its relay."""

import sys

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException
from kazoo.security import make_digest_acl

client = KazooClient(hosts="127.0.0.1:" + sys.argv[1], timeout=4.0)
client.start()
client.create("/kazoo", b"hello")
client.create("/kazoo/n-", b"", ephemeral=True, sequence=True)
client.create("/kazoo/stat", b"x", include_data=True)
client.exists("/kazoo", watch=lambda event: None)
client.get("/kazoo", watch=lambda event: None)
client.set("/kazoo", b"changed", version=0)
client.get_children("/kazoo", watch=lambda event: None)
client.get_children("/kazoo", include_data=True)
client.get_acls("/kazoo")
client.set_acls("/kazoo", [make_digest_acl("ann", "secret", read=True), make_digest_acl("bob", "secret", all=True)])
client.add_auth("digest", "bob:secret")
client.sync("/kazoo")
good = client.transaction()
good.check("/kazoo", version=1)
good.create("/kazoo/multi", b"1")
good.set_data("/kazoo/multi", b"2", version=0)
good.delete("/kazoo/multi", version=1)
good.commit()
bad = client.transaction()
bad.create("/kazoo/multi", b"1")
bad.check("/kazoo", version=77)
bad.delete("/kazoo/stat")
bad.commit()
try:
    client.delete("/kazoo/none")
except KazooException:
    pass
client.delete("/kazoo/stat")
client.get("/kazoo", watch=lambda event: None)
# Kazoo forgets its watches when it loses its connection, and attaches to its session again.
print("cut", flush=True)
sys.stdin.readline()
client.retry(client.exists, "/kazoo")
client.stop()
