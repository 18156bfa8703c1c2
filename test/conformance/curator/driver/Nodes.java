import static org.apache.zookeeper.CreateMode.CONTAINER;
import static org.apache.zookeeper.CreateMode.EPHEMERAL;
import static org.apache.zookeeper.CreateMode.EPHEMERAL_SEQUENTIAL;
import static org.apache.zookeeper.CreateMode.PERSISTENT;
import static org.apache.zookeeper.CreateMode.PERSISTENT_SEQUENTIAL;
import static org.apache.zookeeper.CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL;
import static org.apache.zookeeper.CreateMode.PERSISTENT_WITH_TTL;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Nodes: creating, reading, writing and deleting them. */
final class Nodes {
    private Nodes() {}

    static void create_modes(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.create().withMode(PERSISTENT).forPath(s.path("plain"), Scenario.bytes("data"));
        Check.equal(Scenario.text(client.getData().forPath(s.path("plain"))), "data");
        Check.equal(owner(client, s.path("plain")), 0L);
        client.create().withMode(EPHEMERAL).forPath(s.path("ephemeral"));
        Check.equal(owner(client, s.path("ephemeral")), Scenario.sessionId(client));

        client.create().forPath(s.path("dir"));
        String first = client.create().withMode(PERSISTENT_SEQUENTIAL).forPath(s.path("dir/item-"));
        String second = client.create().withMode(EPHEMERAL_SEQUENTIAL).forPath(s.path("dir/item-"));
        Check.equal(first, s.path("dir/item-0000000000"));
        Check.equal(second, s.path("dir/item-0000000001"));
        Check.equal(owner(client, second), Scenario.sessionId(client));
    }

    static void parents_are_persistent(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        Check.fails(KeeperException.NoNodeException.class,
                () -> client.create().forPath(s.path("a/b/c")));
        client.create().creatingParentsIfNeeded().forPath(s.path("a/b/c"), Scenario.bytes("deep"));
        Check.equal(owner(client, s.path("a")), 0L);
        Check.equal(client.getData().forPath(s.path("a/b")).length, 0);
        Check.fails(KeeperException.NotEmptyException.class, () -> client.delete().forPath(s.path("a")));
        client.delete().deletingChildrenIfNeeded().forPath(s.path("a"));
        Check.equal(client.checkExists().forPath(s.path("a")), null);
    }

    static void parent_containers_go_when_empty(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.createContainers(s.path("unused"));
        client.create().creatingParentContainersIfNeeded().withMode(EPHEMERAL).forPath(s.path("used/by/node"));
        // No session owns a container, and it can have children.
        Check.equal(owner(client, s.path("used/by")), 0L);
        client.delete().forPath(s.path("used/by/node"));
        Check.until("the server to remove the empty container",
                () -> client.checkExists().forPath(s.path("used/by")) == null);
        // A container that never had a child is about to get its first one.
        Check.isTrue(client.checkExists().forPath(s.path("unused")) != null, "the unused one is gone");
    }

    static void ttl_nodes_go_by_themselves(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.transaction().forOperations(
                client.transactionOp().create().withTtl(1).withMode(PERSISTENT_WITH_TTL).forPath(s.path("parent")),
                client.transactionOp().create().forPath(s.path("parent/child")));
        long started = System.nanoTime();
        client.create().withTtl(300).withMode(PERSISTENT_WITH_TTL).forPath(s.path("short"));
        String sequential = client.create().withTtl(300).withMode(PERSISTENT_SEQUENTIAL_WITH_TTL)
                .forPath(s.path("short-"), Scenario.bytes("data"));
        Check.equal(sequential, s.path("short-0000000002"));
        client.create().withTtl(600_000).withMode(PERSISTENT_WITH_TTL).forPath(s.path("long"));
        for (String path : List.of(s.path("short"), sequential)) {
            Check.until("the server to remove " + path, () -> client.checkExists().forPath(path) == null);
        }
        Check.isTrue(System.nanoTime() - started > 300_000_000L, "they were gone too early");
        Check.equal(client.getChildren().forPath(s.path("parent")), List.of("child"));
        Check.isTrue(client.checkExists().forPath(s.path("long")) != null, "a long life was too short");
    }

    static void create_can_return_the_stat(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        Stat stat = new Stat();
        client.create().storingStatIn(stat).forPath(s.path("node"), Scenario.bytes("12345"));
        Check.equal(stat, client.checkExists().forPath(s.path("node")));
        Check.equal(stat.getDataLength(), 5);
        Stat ofEphemeral = new Stat();
        client.create().storingStatIn(ofEphemeral).withMode(EPHEMERAL).forPath(s.path("ephemeral"));
        Check.equal(ofEphemeral.getEphemeralOwner(), Scenario.sessionId(client));
        Stat ofContainer = new Stat();
        client.create().storingStatIn(ofContainer).withMode(CONTAINER).forPath(s.path("container"));
        Check.equal(ofContainer, client.checkExists().forPath(s.path("container")));
        Stat ofTtl = new Stat();
        client.create().withTtl(60_000).storingStatIn(ofTtl).withMode(PERSISTENT_WITH_TTL).forPath(s.path("ttl"));
        Check.equal(ofTtl, client.checkExists().forPath(s.path("ttl")));
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
        client.delete().quietly().forPath(path);
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
        Check.equal(owner(other, created), Scenario.sessionId(client));
    }

    static void guaranteed_delete_is_made_up_for(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(options -> options.connectString(Scenario.hosts(relay.connectString()))
                .connectionTimeoutMs(200).retryPolicy(new RetryNTimes(0, 1)));
        CuratorFramework other = s.client();
        other.create().forPath(s.path("node"));
        relay.cut();
        Check.until("the connection to be lost", () -> !client.getZookeeperClient().isConnected());
        Check.fails(KeeperException.Code.CONNECTIONLOSS,
                () -> client.delete().guaranteed().forPath(s.path("node")));
        Check.isTrue(other.checkExists().forPath(s.path("node")) != null, "it was deleted at once");
        relay.restore();
        Check.until("the node to be deleted", () -> other.checkExists().forPath(s.path("node")) == null);
    }

    static void background_requests_are_answered_in_order(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        int count = 400;
        List<String> created = new CopyOnWriteArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            client.create().withMode(PERSISTENT_SEQUENTIAL)
                    .inBackground((from, event) -> created.add(event.getName())).forPath(s.path("n-"));
            expected.add(s.path(String.format("n-%010d", i)));
        }
        Check.until("all to be created", () -> created.size() == count);
        Check.equal(created, expected);
        Check.equal(client.getChildren().forPath(s.root).size(), count);
        List<Integer> deleted = new CopyOnWriteArrayList<>();
        for (String path : expected) {
            client.delete().inBackground((from, event) -> deleted.add(event.getResultCode())).forPath(path);
        }
        Check.until("all to be deleted", () -> deleted.size() == count);
        Check.equal(client.checkExists().forPath(s.root).getNumChildren(), 0);
    }

    static void namespace_is_a_root(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        CuratorFramework inner = client.usingNamespace(s.path("namespace").substring(1));
        Check.equal(inner.create().creatingParentsIfNeeded().forPath("/a/b"), "/a/b");
        Check.equal(client.getChildren().forPath(s.path("namespace/a")), List.of("b"));
        CuratorFramework chrooted = s.client(options -> options.connectString(s.connectString + s.path("namespace")));
        Check.equal(chrooted.getChildren().forPath("/"), List.of("a"));
        Check.equal(chrooted.create().withMode(EPHEMERAL_SEQUENTIAL).forPath("/a/c-"), "/a/c-0000000001");
        chrooted.sync().forPath("/a");
    }

    private static long owner(CuratorFramework client, String path) throws Exception {
        return client.checkExists().forPath(path).getEphemeralOwner();
    }
}
