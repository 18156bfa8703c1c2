import java.util.List;
import org.apache.curator.framework.CuratorFramework;
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
        CuratorFramework owner = s.client(options -> options.authorization("digest", Scenario.bytes("alice:secret")));
        CuratorFramework other = s.client();
        String path = owner.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(s.path("private"));
        Id alice = new Id("digest", DigestAuthenticationProvider.generateDigest("alice:secret"));
        Check.equal(owner.getACL().forPath(path), List.of(new ACL(ZooDefs.Perms.ALL, alice)));
        Check.fails(KeeperException.NoAuthException.class, () -> other.getData().forPath(path));
        Check.fails(KeeperException.NoAuthException.class,
                () -> other.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(path));
        Check.fails(KeeperException.InvalidACLException.class,
                () -> other.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(s.path("mine")));

        Check.equal(owner.setACL().withVersion(0).withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath(path).getAversion(), 1);
        Stat stat = new Stat();
        Check.equal(other.getACL().storingStatIn(stat).forPath(path), ZooDefs.Ids.READ_ACL_UNSAFE);
        Check.equal(stat, other.checkExists().forPath(path));
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
}
