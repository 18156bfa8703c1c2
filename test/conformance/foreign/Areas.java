import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.DroppedConnection;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Tests the features of ZooKeeper that Curator needs: {@code java Areas <host:port> <root>}. Prints
 * the name of each area that works, and the trace of each other one as an error.
 */
final class Areas {
    private static final long DEADLINE_MS = 10_000;

    private interface Action {
        void run() throws Exception;
    }

    private final String connectString;
    private final String root;
    private final List<ConnectionState> states = new CopyOnWriteArrayList<>();
    private final CuratorFramework client;
    /** Without credentials. */
    private final CuratorFramework other;

    private Areas(String connectString, String root) throws Exception {
        this.connectString = connectString;
        this.root = root;
        client = connect(options().authorization("digest", bytes("alice:secret")), states);
        other = connect(options(), new CopyOnWriteArrayList<>());
    }

    public static void main(String[] arguments) throws Exception {
        Areas areas = new Areas(arguments[0], arguments[1]);
        attempt("nodes", areas::nodes);
        attempt("transactions", areas::transactions);
        attempt("access lists", areas::accessLists);
        attempt("watches", areas::watches);
        attempt("sessions", areas::sessions);
        areas.client.close();
        areas.other.close();
    }

    private static void attempt(String area, Action action) {
        try {
            action.run();
            System.out.println(area);
        } catch (Throwable error) {
            error.printStackTrace();
        }
    }

    private void nodes() throws Exception {
        for (CreateMode mode : CreateMode.values()) {
            Stat created = new Stat();
            var creation = mode.isTTL() ? client.create().withTtl(60_000) : client.create();
            String node = creation.storingStatIn(created).withMode(mode).forPath(path(mode + "-"));
            equal(created, client.checkExists().forPath(node));
            equal(node.matches(".*-\\d{10}"), mode.isSequential());
            equal(created.getEphemeralOwner() == zookeeper().getSessionId(), mode.isEphemeral());
        }
        client.create().creatingParentContainersIfNeeded().forPath(path("a/b/c"), bytes("deep"));
        fails(KeeperException.NotEmptyException.class, () -> client.delete().forPath(path("a")));
        client.delete().deletingChildrenIfNeeded().forPath(path("a"));
        fails(KeeperException.NoNodeException.class, () -> client.getData().forPath(path("a")));
    }

    private void transactions() throws Exception {
        client.create().forPath(path("set"), bytes("0"));
        List<CuratorTransactionResult> results = client.transaction().forOperations(
                client.transactionOp().check().withVersion(0).forPath(path("set")),
                client.transactionOp().create().withMode(CreateMode.CONTAINER).forPath(path("new")),
                client.transactionOp().create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(path("new/e-")),
                client.transactionOp().setData().withVersion(0).forPath(path("set"), bytes("changed")));
        equal(results.get(2).getResultPath(), path("new/e-0000000000"));
        equal(results.get(3).getResultStat(), client.checkExists().forPath(path("set")));

        var error = fails(KeeperException.BadVersionException.class, () -> client.transaction().forOperations(
                client.transactionOp().create().forPath(path("undone")),
                client.transactionOp().check().withVersion(7).forPath(path("set")),
                client.transactionOp().delete().forPath(path("set"))));
        List<KeeperException.Code> codes = error.getResults().stream()
                .map(result -> KeeperException.Code.get(((OpResult.ErrorResult) result).getErr()))
                .collect(Collectors.toList());
        equal(codes, List.of(KeeperException.Code.OK, KeeperException.Code.BADVERSION,
                KeeperException.Code.RUNTIMEINCONSISTENCY));
        equal(client.checkExists().forPath(path("undone")), null);
    }

    private void accessLists() throws Exception {
        client.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(path("private"));
        fails(KeeperException.NoAuthException.class, () -> other.getData().forPath(path("private")));
        fails(KeeperException.InvalidACLException.class,
                () -> other.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(path("mine")));
        client.setACL().withVersion(0).withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath(path("private"));
        equal(other.getACL().forPath(path("private")), ZooDefs.Ids.READ_ACL_UNSAFE);
        equal(zookeeper().whoAmI().size(), 2);
    }

    private void watches() throws Exception {
        client.create().forPath(path("node"));
        List<String> once = new CopyOnWriteArrayList<>();
        List<String> all = new CopyOnWriteArrayList<>();
        Watcher recursive = into(all);
        client.watchers().add().withMode(AddWatchMode.PERSISTENT_RECURSIVE).usingWatcher(recursive).forPath(root);
        client.getChildren().usingWatcher(into(once)).forPath(path("node"));
        // Both watches are set again on the next connection, or fire on this one.
        DroppedConnection.of(zookeeper());
        other.create().forPath(path("node/child"));
        until(() -> "the child to be told of, not " + once, () -> once.equals(List.of("ChildrenChanged /node")));
        all.clear();
        other.setData().forPath(path("node/child"));
        other.delete().deletingChildrenIfNeeded().forPath(path("node"));
        List<String> expected = List.of("DataChanged /node/child", "Deleted /node/child", "Deleted /node");
        until(() -> expected + ", not " + all, () -> all.equals(expected));

        client.watchers().remove(recursive).forPath(root);
        until(() -> "the removal, not " + all, () -> all.contains("PersistentWatchRemoved "));
        fails(KeeperException.NoWatcherException.class, () -> client.watchers().removeAll().forPath(root));
    }

    private void sessions() throws Exception {
        ZooKeeper before = zookeeper();
        client.create().withMode(CreateMode.EPHEMERAL).forPath(path("ephemeral"));
        states.clear();
        DroppedConnection.of(before);
        until(() -> "the same session again, not " + states, () -> states.equals(List.of(
                ConnectionState.SUSPENDED, ConnectionState.RECONNECTED)));
        equal(other.checkExists().forPath(path("ephemeral")).getEphemeralOwner(), before.getSessionId());
        // If the client reconnects faster, it resumes its session.
        while (other.checkExists().forPath(path("ephemeral")) != null) end(before);
        until(() -> "a new session, not " + states, () -> states.contains(ConnectionState.LOST)
                && states.get(states.size() - 1) == ConnectionState.RECONNECTED);
        equal(zookeeper().getSessionId() == before.getSessionId(), false);
    }

    /** Ends a session from another connection, so that its client finds it expired. */
    private void end(ZooKeeper victim) throws Exception {
        List<String> nothing = new CopyOnWriteArrayList<>();
        new ZooKeeper(connectString, 10_000, into(nothing), victim.getSessionId(), victim.getSessionPasswd()).close();
    }

    /** Keeps the events of nodes, as "kind path". */
    private Watcher into(List<String> heard) {
        return event -> {
            // Watchers also get the state of the connection.
            if (event.getPath() == null) return;
            heard.add(event.getType().name().replace("Node", "") + " " + event.getPath().substring(root.length()));
        };
    }

    private CuratorFrameworkFactory.Builder options() {
        return CuratorFrameworkFactory.builder()
                // Three times, because a client waits a second before it returns to its latest
                // address.
                .connectString(String.join(",", connectString, connectString, connectString))
                .sessionTimeoutMs(10_000)
                .retryPolicy(new RetryNTimes(50, 20));
    }

    private static CuratorFramework connect(CuratorFrameworkFactory.Builder options, List<ConnectionState> states)
            throws Exception {
        CuratorFramework connecting = options.build();
        connecting.getConnectionStateListenable().addListener((from, state) -> states.add(state));
        connecting.start();
        until(() -> "a connection", () -> states.contains(ConnectionState.CONNECTED));
        return connecting;
    }

    private ZooKeeper zookeeper() throws Exception {
        return client.getZookeeperClient().getZooKeeper();
    }

    private String path(String name) {
        return root + "/" + name;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static void equal(Object actual, Object expected) {
        if (!Objects.equals(actual, expected)) throw new AssertionError("expected " + expected + ", got " + actual);
    }

    private static <E extends Exception> E fails(Class<E> expected, Action action) throws Exception {
        try {
            action.run();
        } catch (Exception error) {
            if (error.getClass() == expected) return expected.cast(error);
            throw error;
        }
        throw new AssertionError("expected " + expected.getSimpleName() + ", and nothing failed");
    }

    /** Asks again and again until the condition is true. */
    private static void until(Callable<String> what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + DEADLINE_MS * 1_000_000;
        while (!condition.call()) {
            if (System.nanoTime() > deadline) throw new AssertionError("waited for " + what.call());
            Thread.sleep(2);
        }
    }
}
