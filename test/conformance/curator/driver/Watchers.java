import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/** Watches: those that fire once, persistent and recursive ones. */
final class Watchers {
    /** Keeps the events of nodes, as "kind path". */
    private static final class Listener implements Watcher {
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final String root;

        Listener(Scenario s) {
            root = s.root;
        }

        @Override
        public void process(WatchedEvent event) {
            // Watchers also hear of the connection.
            if (event.getType() == Event.EventType.None) return;
            heard.add(event.getType().name().replace("Node", "") + event.getPath().substring(root.length()));
        }

        /** Waits until exactly this was heard, in this order. */
        void heard(String... events) throws Exception {
            Check.until(() -> Arrays.toString(events) + ", heard " + heard, () -> heard.equals(Arrays.asList(events)));
        }
    }

    private Watchers() {}

    static void recursive_watch_sees_the_tree(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        CuratorFramework other = s.client();
        Listener listener = new Listener(s);
        client.watchers().add().withMode(AddWatchMode.PERSISTENT_RECURSIVE).usingWatcher(listener)
                .forPath(s.path("tree"));
        other.create().forPath(s.path("tree"));
        other.create().forPath(s.path("tree-beside"));
        other.create().creatingParentsIfNeeded().forPath(s.path("tree/a/b/c"));
        other.setData().forPath(s.path("tree/a/b"));
        other.transaction().forOperations(
                other.transactionOp().setData().forPath(s.path("tree")),
                other.transactionOp().delete().forPath(s.path("tree/a/b/c")));
        other.delete().deletingChildrenIfNeeded().forPath(s.path("tree"));
        listener.heard("Created/tree", "Created/tree/a", "Created/tree/a/b", "Created/tree/a/b/c",
                "DataChanged/tree/a/b", "DataChanged/tree", "Deleted/tree/a/b/c",
                "Deleted/tree/a/b", "Deleted/tree/a", "Deleted/tree");
    }

    static void watches_can_be_removed(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        CuratorFramework other = s.client();
        other.create().forPath(s.path("node"));
        Listener data = new Listener(s);
        Listener children = new Listener(s);
        Listener persistent = new Listener(s);
        client.getData().usingWatcher(data).forPath(s.path("node"));
        client.getChildren().usingWatcher(children).forPath(s.path("node"));
        client.watchers().add().withMode(AddWatchMode.PERSISTENT).usingWatcher(persistent).forPath(s.path("node"));
        client.watchers().remove(data).ofType(Watcher.WatcherType.Data).forPath(s.path("node"));
        other.setData().forPath(s.path("node"));
        persistent.heard("DataChanged/node");
        client.watchers().remove(persistent).forPath(s.path("node"));
        other.setData().forPath(s.path("node"));
        other.create().forPath(s.path("node/child"));
        children.heard("ChildrenChanged/node");

        Listener last = new Listener(s);
        client.getChildren().usingWatcher(last).forPath(s.path("node"));
        client.checkExists().usingWatcher(last).forPath(s.path("node"));
        client.watchers().removeAll().ofType(Watcher.WatcherType.Any).forPath(s.path("node"));
        Check.fails(KeeperException.NoWatcherException.class,
                () -> client.watchers().removeAll().forPath(s.path("node")));
        Listener end = new Listener(s);
        client.checkExists().usingWatcher(end).forPath(s.path("end"));
        other.delete().deletingChildrenIfNeeded().forPath(s.path("node"));
        other.create().forPath(s.path("end"));
        end.heard("Created/end");
        data.heard("DataWatchRemoved/node");
        persistent.heard("DataChanged/node", "PersistentWatchRemoved/node");
        // The client goes through its kinds of watches in no certain order.
        Check.until("both removals to be told", () -> last.heard.size() == 2);
        Check.equal(Set.copyOf(last.heard), Set.of("ChildWatchRemoved/node", "DataWatchRemoved/node"));
    }

    static void missed_events_come_after_a_reconnect(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(relay);
        CuratorFramework other = s.client();
        for (String name : List.of("changed", "deleted", "parent", "same")) other.create().forPath(s.path(name));
        Listener created = new Listener(s);
        Listener changed = new Listener(s);
        Listener deleted = new Listener(s);
        Listener parent = new Listener(s);
        Listener same = new Listener(s);
        client.checkExists().usingWatcher(created).forPath(s.path("created"));
        client.getData().usingWatcher(changed).forPath(s.path("changed"));
        client.checkExists().usingWatcher(deleted).forPath(s.path("deleted"));
        client.getChildren().usingWatcher(parent).forPath(s.path("parent"));
        client.getData().usingWatcher(same).forPath(s.path("same"));
        relay.cut();
        Check.until("the connection to be lost", () -> !client.getZookeeperClient().isConnected());
        other.create().forPath(s.path("created"));
        other.setData().forPath(s.path("changed"));
        other.delete().forPath(s.path("deleted"));
        other.create().forPath(s.path("parent/child"));
        relay.restore();
        created.heard("Created/created");
        changed.heard("DataChanged/changed");
        deleted.heard("Deleted/deleted");
        parent.heard("ChildrenChanged/parent");
        // Nothing was missed here: this one is in place again.
        same.heard();
        other.setData().forPath(s.path("same"));
        same.heard("DataChanged/same");
    }

    static void persistent_watches_outlive_a_connection(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(relay);
        CuratorFramework other = s.client();
        other.create().forPath(s.path("node"));
        other.create().forPath(s.path("tree"));
        Listener flat = new Listener(s);
        Listener recursive = new Listener(s);
        client.watchers().add().withMode(AddWatchMode.PERSISTENT).usingWatcher(flat).forPath(s.path("node"));
        client.watchers().add().usingWatcher(recursive).forPath(s.path("tree"));
        relay.cut();
        Check.until("the connection to be lost", () -> !client.getZookeeperClient().isConnected());
        // What happens meanwhile is not told: who has such a watch looks for himself.
        other.setData().forPath(s.path("node"));
        other.setData().forPath(s.path("tree"));
        relay.restore();
        Check.until("the connection to be back", () -> client.getZookeeperClient().isConnected());
        client.checkExists().forPath(s.root);
        other.create().forPath(s.path("node/child"));
        other.create().forPath(s.path("tree/child"));
        other.delete().forPath(s.path("tree/child"));
        flat.heard("ChildrenChanged/node");
        recursive.heard("Created/tree/child", "Deleted/tree/child");
    }
}
