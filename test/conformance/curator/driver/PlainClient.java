import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;

/** Requests of ZooKeeper's own Java client that Curator does not make. */
final class PlainClient {
    private PlainClient() {}

    static void several_reads_in_one_request(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.create().forPath(s.path("node"), Scenario.bytes("data"));
        client.create().forPath(s.path("node/child"));
        ZooKeeper zookeeper = client.getZookeeperClient().getZooKeeper();
        List<OpResult> results = zookeeper.multi(List.of(
                Op.getData(s.path("node")), Op.getChildren(s.path("node")),
                Op.getData(s.path("missing")), Op.getData(s.path("node/child"))));
        OpResult.GetDataResult data = (OpResult.GetDataResult) results.get(0);
        Check.equal(Scenario.text(data.getData()), "data");
        Check.equal(data.getStat(), client.checkExists().forPath(s.path("node")));
        Check.equal(((OpResult.GetChildrenResult) results.get(1)).getChildren(), List.of("child"));
        // Unlike in a transaction, the others are not affected by one that fails.
        Check.equal(((OpResult.ErrorResult) results.get(2)).getErr(), KeeperException.Code.NONODE.intValue());
        Check.isTrue(results.get(3) instanceof OpResult.GetDataResult, "no data: " + results.get(3));
    }

    static void ephemerals_and_descendants_are_counted(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        CuratorFramework other = s.client();
        client.create().forPath(s.path("dir"));
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("dir/a"));
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("dir/b"));
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("beside"));
        other.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("dir/of-another"));
        ZooKeeper zookeeper = client.getZookeeperClient().getZooKeeper();
        Check.equal(Set.copyOf(zookeeper.getEphemerals()), Set.of(s.path("dir/a"), s.path("dir/b"), s.path("beside")));
        Check.equal(Set.copyOf(zookeeper.getEphemerals(s.path("dir"))), Set.of(s.path("dir/a"), s.path("dir/b")));
        Check.equal(zookeeper.getAllChildrenNumber(s.root), 5);
    }

    static void client_knows_who_it_is(Scenario s) throws Exception {
        CuratorFramework client = s.client(options -> options.authorization("digest", Scenario.bytes("alice:secret")));
        Set<String> known = client.getZookeeperClient().getZooKeeper().whoAmI().stream()
                .map(info -> info.getAuthScheme() + ":" + info.getUser()).collect(Collectors.toSet());
        Check.equal(known, Set.of("ip:127.0.0.1", "digest:alice"));
    }
}
