import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.cache.NodeCache;
import org.apache.curator.framework.recipes.cache.PathChildrenCache;
import org.apache.curator.framework.recipes.cache.TreeCache;

/** Copies of nodes and trees that follow what happens to them. */
@SuppressWarnings("deprecation")
final class Caches {
    /** Keeps what a cache tells. */
    private static final class Told {
        private final List<String> all = new CopyOnWriteArrayList<>();
        private final String root;

        Told(String root) {
            this.root = root;
        }

        void add(Object kind, ChildData node) {
            all.add(kind + (node == null ? ""
                    : " " + node.getPath().substring(root.length()) + "=" + Scenario.text(node.getData())));
        }

        /** Waits until this was told and nothing else; what was told is then forgotten. */
        void next(String... expected) throws Exception {
            Check.until(() -> Arrays.toString(expected) + ", told " + all, () -> all.equals(Arrays.asList(expected)));
            all.clear();
        }

        /** As {@link #next}, in any order. */
        void nextInAnyOrder(String... expected) throws Exception {
            Check.until(() -> Arrays.toString(expected) + ", told " + all,
                    () -> all.size() == expected.length && Set.copyOf(all).equals(Set.of(expected)));
            all.clear();
        }
    }

    private Caches() {}

    static void curator_cache_follows_a_tree(Scenario s) throws Exception {
        CuratorFramework other = s.client();
        put(other, s.path("tree"), "root");
        put(other, s.path("tree/a"), "a");
        put(other, s.path("tree/a/b"), "ab");
        CuratorCache cache = s.closing(CuratorCache.build(s.client(), s.path("tree")));
        Told told = listenTo(cache, s.path("tree"));
        told.nextInAnyOrder("created =root", "created /a=a", "created /a/b=ab", "initialized");
        Check.equal(cache.size(), 3);
        put(other, s.path("tree/c"), "c");
        told.next("created /c=c");
        other.setData().forPath(s.path("tree/a/b"), Scenario.bytes("changed"));
        told.next("changed /a/b=changed");
        other.delete().forPath(s.path("tree/a/b"));
        told.next("deleted /a/b=changed");
        other.transaction().forOperations(
                other.transactionOp().create().forPath(s.path("tree/d"), Scenario.bytes("d")),
                other.transactionOp().delete().forPath(s.path("tree/c")));
        told.nextInAnyOrder("created /d=d", "deleted /c=c");
        Check.equal(paths(cache, s.path("tree")), Set.of("", "/a", "/d"));
        Check.equal(Scenario.text(cache.get(s.path("tree/d")).get().getData()), "d");
    }

    static void curator_cache_catches_up(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(relay);
        CuratorFramework other = s.client();
        put(other, s.path("tree"), "root");
        put(other, s.path("tree/kept"), "0");
        put(other, s.path("tree/gone"), "gone");
        CuratorCache cache = s.closing(CuratorCache.build(client, s.path("tree")));
        Told told = listenTo(cache, s.path("tree"));
        told.nextInAnyOrder("created =root", "created /kept=0", "created /gone=gone", "initialized");
        relay.cut();
        Check.until("the connection to be lost", () -> !client.getZookeeperClient().isConnected());
        other.setData().forPath(s.path("tree/kept"), Scenario.bytes("1"));
        other.delete().forPath(s.path("tree/gone"));
        put(other, s.path("tree/new"), "new");
        relay.restore();
        told.nextInAnyOrder("changed /kept=1", "deleted /gone=gone", "created /new=new");
        s.expire(client);
        put(other, s.path("tree/later"), "later");
        told.next("created /later=later");
    }

    static void node_cache_follows_a_node(Scenario s) throws Exception {
        CuratorFramework other = s.client();
        NodeCache cache = s.closing(new NodeCache(s.client(), s.path("node")));
        List<String> seen = new CopyOnWriteArrayList<>();
        cache.getListenable().addListener(() -> {
            ChildData node = cache.getCurrentData();
            seen.add(node == null ? "none" : Scenario.text(node.getData()));
        });
        cache.start(true);
        Check.equal(cache.getCurrentData(), null);
        put(other, s.path("node"), "0");
        Check.until("the node", () -> seen.equals(List.of("0")));
        other.setData().forPath(s.path("node"), Scenario.bytes("1"));
        Check.until("the change", () -> seen.equals(List.of("0", "1")));
        other.delete().forPath(s.path("node"));
        Check.until("the end", () -> seen.equals(List.of("0", "1", "none")));
    }

    static void path_children_cache_follows_children(Scenario s) throws Exception {
        CuratorFramework other = s.client();
        put(other, s.path("dir"), "");
        put(other, s.path("dir/a"), "a");
        PathChildrenCache cache = s.closing(new PathChildrenCache(s.client(), s.path("dir"), true));
        Told told = new Told(s.path("dir"));
        cache.getListenable().addListener((client, event) -> told.add(event.getType(), event.getData()));
        cache.start(PathChildrenCache.StartMode.POST_INITIALIZED_EVENT);
        told.next("CHILD_ADDED /a=a", "INITIALIZED");
        put(other, s.path("dir/b"), "b");
        told.next("CHILD_ADDED /b=b");
        other.setData().forPath(s.path("dir/a"), Scenario.bytes("1"));
        told.next("CHILD_UPDATED /a=1");
        put(other, s.path("dir/a/below"), "not a child");
        other.delete().forPath(s.path("dir/b"));
        told.next("CHILD_REMOVED /b=b");
        Check.equal(cache.getCurrentData().stream().map(ChildData::getPath).collect(Collectors.toList()),
                List.of(s.path("dir/a")));
    }

    static void tree_cache_follows_a_tree(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(relay);
        CuratorFramework other = s.client();
        put(other, s.path("tree"), "root");
        put(other, s.path("tree/a"), "a");
        put(other, s.path("tree/a/b"), "ab");
        TreeCache cache = s.closing(new TreeCache(client, s.path("tree")));
        Told told = new Told(s.path("tree"));
        cache.getListenable().addListener((from, event) -> told.add(event.getType(), event.getData()));
        cache.start();
        told.next("NODE_ADDED =root", "NODE_ADDED /a=a", "NODE_ADDED /a/b=ab", "INITIALIZED");
        other.setData().forPath(s.path("tree/a/b"), Scenario.bytes("1"));
        told.next("NODE_UPDATED /a/b=1");
        put(other, s.path("tree/a/c"), "ac");
        told.next("NODE_ADDED /a/c=ac");
        other.delete().forPath(s.path("tree/a/b"));
        told.next("NODE_REMOVED /a/b=1");
        Check.equal(cache.getCurrentChildren(s.path("tree/a")).keySet(), Set.of("c"));

        relay.cut();
        told.next("CONNECTION_SUSPENDED");
        put(other, s.path("tree/new"), "new");
        relay.restore();
        told.nextInAnyOrder("CONNECTION_RECONNECTED", "NODE_ADDED /new=new");
    }

    private static void put(CuratorFramework client, String path, String data) throws Exception {
        client.create().forPath(path, Scenario.bytes(data));
    }

    /** Starts the cache and keeps what it tells. */
    private static Told listenTo(CuratorCache cache, String root) {
        Told told = new Told(root);
        cache.listenable().addListener(CuratorCacheListener.builder()
                .forCreates(node -> told.add("created", node))
                .forChanges((before, node) -> told.add("changed", node))
                .forDeletes(node -> told.add("deleted", node))
                .forInitialized(() -> told.add("initialized", null))
                .build());
        cache.start();
        return told;
    }

    private static Set<String> paths(CuratorCache cache, String root) {
        return cache.stream().map(node -> node.getPath().substring(root.length())).collect(Collectors.toSet());
    }
}
