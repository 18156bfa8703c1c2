import static org.apache.zookeeper.CreateMode.CONTAINER;
import static org.apache.zookeeper.CreateMode.EPHEMERAL;
import static org.apache.zookeeper.CreateMode.EPHEMERAL_SEQUENTIAL;
import static org.apache.zookeeper.CreateMode.PERSISTENT_SEQUENTIAL;
import static org.apache.zookeeper.CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL;
import static org.apache.zookeeper.CreateMode.PERSISTENT_WITH_TTL;

import java.util.List;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Nodes: creating, reading, writing and deleting them. */
final class Nodes {
    private Nodes() {}

    static void create_returns_path_and_stat(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        Stat stat = new Stat();
        client.create().storingStatIn(stat).forPath(s.path("node"), Scenario.bytes("12345"));
        Check.equal(stat, client.checkExists().forPath(s.path("node")));
        Check.equal(stat.getDataLength(), 5);
        for (CreateMode mode : List.of(EPHEMERAL, EPHEMERAL_SEQUENTIAL, PERSISTENT_SEQUENTIAL, CONTAINER)) {
            Stat created = new Stat();
            String path = client.create().storingStatIn(created).withMode(mode).forPath(s.path(mode + "-"));
            Check.equal(created, client.checkExists().forPath(path));
            Check.equal(path.matches(".*-\\d{10}"), mode.isSequential());
            Check.equal(created.getEphemeralOwner(), mode.isEphemeral() ? Scenario.sessionId(client) : 0L);
        }
        for (CreateMode mode : List.of(PERSISTENT_WITH_TTL, PERSISTENT_SEQUENTIAL_WITH_TTL)) {
            Stat created = new Stat();
            String path = client.create().withTtl(60_000).storingStatIn(created).withMode(mode)
                    .forPath(s.path(mode + "-"));
            Check.equal(created, client.checkExists().forPath(path));
        }
    }

    static void parents_are_created_and_trees_deleted(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        Check.fails(KeeperException.NoNodeException.class, () -> client.create().forPath(s.path("a/b/c")));
        client.create().creatingParentsIfNeeded().forPath(s.path("a/b/c"), Scenario.bytes("deep"));
        Check.equal(client.getData().forPath(s.path("a/b")).length, 0);
        Check.fails(KeeperException.NotEmptyException.class, () -> client.delete().forPath(s.path("a")));
        client.delete().deletingChildrenIfNeeded().forPath(s.path("a"));
        Check.equal(client.checkExists().forPath(s.path("a")), null);
    }

    static void versions_guard_changes(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        String path = client.create().forPath(s.path("node"));
        Check.fails(KeeperException.NodeExistsException.class, () -> client.create().forPath(path));
        Check.equal(client.setData().withVersion(0).forPath(path, Scenario.bytes("1")).getVersion(), 1);
        Check.fails(KeeperException.BadVersionException.class,
                () -> client.setData().withVersion(0).forPath(path, Scenario.bytes("no")));
        Check.equal(client.create().orSetData().forPath(path, Scenario.bytes("2")), path);
        Stat stat = new Stat();
        Check.equal(Scenario.text(client.getData().storingStatIn(stat).forPath(path)), "2");
        Check.equal(stat.getVersion(), 2);
        Check.fails(KeeperException.BadVersionException.class,
                () -> client.delete().withVersion(1).forPath(path));
        client.delete().withVersion(2).forPath(path);
        Check.fails(KeeperException.NoNodeException.class, () -> client.delete().forPath(path));
        Check.fails(KeeperException.NoNodeException.class, () -> client.getData().forPath(path));
    }

    static void protected_create_outlives_a_lost_answer(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(relay);
        CuratorFramework other = s.client();
        other.create().forPath(s.path("dir"));
        relay.loseAnswers();
        Future<String> creating = s.start(() -> client.create().withProtection()
                .withMode(EPHEMERAL_SEQUENTIAL).forPath(s.path("dir/lock-")));
        Check.until("the node", () -> other.getChildren().forPath(s.path("dir")).size() == 1);
        Check.isTrue(!creating.isDone(), "the answer was not lost");
        relay.cut();
        relay.restore();
        String created = Check.result(creating);
        Check.isTrue(created.matches(".*/_c_[-0-9a-f]{36}-lock-0000000000"), created);
        Check.equal(other.getChildren().forPath(s.path("dir")), List.of(created.substring(s.path("dir/").length())));
        Check.equal(other.checkExists().forPath(created).getEphemeralOwner(), Scenario.sessionId(client));
    }
}
