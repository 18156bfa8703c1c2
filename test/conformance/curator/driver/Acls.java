import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;

/** Who may do what. */
final class Acls {
    private Acls() {}

    static void acl_of_the_creator_refuses_others(Scenario s) throws Exception {
        CuratorFramework owner = s.client(options -> options
                .authorization("digest", Scenario.bytes("alice:secret")).aclProvider(creatorsOnly()));
        CuratorFramework other = s.client();
        owner.create().creatingParentsIfNeeded().forPath(s.path("private/node"), Scenario.bytes("data"));
        Id alice = new Id("digest", DigestAuthenticationProvider.generateDigest("alice:secret"));
        Check.equal(owner.getACL().forPath(s.path("private/node")),
                List.of(new ACL(ZooDefs.Perms.ALL, alice)));

        String path = s.path("private/node");
        Check.fails(KeeperException.NoAuthException.class, () -> other.getData().forPath(path));
        Check.fails(KeeperException.NoAuthException.class, () -> other.setData().forPath(path));
        Check.fails(KeeperException.NoAuthException.class, () -> other.getChildren().forPath(path));
        Check.fails(KeeperException.NoAuthException.class, () -> other.delete().forPath(path));
        Check.fails(KeeperException.NoAuthException.class, () -> other.getACL().forPath(path));
        Check.fails(KeeperException.NoAuthException.class, () -> other.transaction().forOperations(
                other.transactionOp().create().forPath(s.path("public")),
                other.transactionOp().setData().forPath(path)));
        Check.equal(owner.checkExists().forPath(s.path("public")), null);
        Check.equal(other.checkExists().forPath(path).getDataLength(), 4);

        CuratorFramework friend = s.client(options -> options.authorization("digest", Scenario.bytes("alice:secret")));
        Check.equal(Scenario.text(friend.getData().forPath(path)), "data");
        friend.delete().forPath(path);
    }

    static void acl_can_be_changed(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        String path = client.create().forPath(s.path("node"));
        Check.equal(client.getACL().forPath(path), ZooDefs.Ids.OPEN_ACL_UNSAFE);
        Check.equal(client.setACL().withVersion(0).withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath(path).getAversion(), 1);
        Check.fails(KeeperException.NoAuthException.class, () -> client.setData().forPath(path));
        Check.fails(KeeperException.NoAuthException.class,
                () -> client.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(path));
        Stat stat = new Stat();
        Check.equal(client.getACL().storingStatIn(stat).forPath(path), ZooDefs.Ids.READ_ACL_UNSAFE);
        Check.equal(stat.getVersion(), 0);
        Check.fails(KeeperException.InvalidACLException.class,
                () -> client.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(s.path("mine")));
        Check.fails(KeeperException.InvalidACLException.class, () -> client.create()
                .withACL(List.of(new ACL(ZooDefs.Perms.ALL, new Id("nosuch", "id")))).forPath(s.path("mine")));
    }

    static void credentials_outlive_a_connection(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(options -> options.connectString(Scenario.hosts(relay.connectString()))
                .authorization("digest", Scenario.bytes("bob:pw")));
        client.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(s.path("private"), Scenario.bytes("data"));
        relay.hangUp();
        Check.equal(Scenario.text(client.getData().forPath(s.path("private"))), "data");
        s.expire(client);
        Check.equal(Scenario.text(client.getData().forPath(s.path("private"))), "data");
    }

    private static ACLProvider creatorsOnly() {
        return new ACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
                return ZooDefs.Ids.CREATOR_ALL_ACL;
            }

            @Override
            public List<ACL> getAclForPath(String path) {
                return getDefaultAcl();
            }
        };
    }
}
