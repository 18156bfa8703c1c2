import java.util.List;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.OperationType;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

/** Transactions: all of it or nothing. */
final class Transactions {
    private Transactions() {}

    static void transaction_does_all(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.create().forPath(s.path("set"), Scenario.bytes("0"));
        client.create().forPath(s.path("old"));
        List<CuratorTransactionResult> results = client.transaction().forOperations(
                client.transactionOp().check().withVersion(0).forPath(s.path("set")),
                client.transactionOp().create().withMode(CreateMode.CONTAINER).forPath(s.path("new")),
                client.transactionOp().create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(s.path("new/e-")),
                client.transactionOp().create().withTtl(60_000).withMode(CreateMode.PERSISTENT_WITH_TTL)
                        .forPath(s.path("ttl")),
                client.transactionOp().setData().withVersion(0).forPath(s.path("set"), Scenario.bytes("changed")),
                client.transactionOp().delete().withVersion(0).forPath(s.path("old")));
        Check.equal(
                results.stream().map(CuratorTransactionResult::getType).collect(Collectors.toList()),
                List.of(OperationType.CHECK, OperationType.CREATE, OperationType.CREATE, OperationType.CREATE,
                        OperationType.SET_DATA, OperationType.DELETE));
        Check.equal(results.get(2).getResultPath(), s.path("new/e-0000000000"));
        Stat set = client.checkExists().forPath(s.path("set"));
        Check.equal(results.get(4).getResultStat(), set);
        // One transaction is one change.
        Check.equal(client.checkExists().forPath(s.path("new/e-0000000000")).getCzxid(), set.getMzxid());
        Check.equal(client.checkExists().forPath(s.root).getPzxid(), set.getMzxid());
    }

    static void transaction_does_nothing_when_one_fails(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.create().forPath(s.path("checked"));
        Stat before = client.checkExists().forPath(s.root);
        KeeperException error = Check.fails(KeeperException.BadVersionException.class,
                () -> client.transaction().forOperations(
                        client.transactionOp().create().forPath(s.path("new")),
                        client.transactionOp().check().withVersion(7).forPath(s.path("checked")),
                        client.transactionOp().delete().forPath(s.path("checked"))));
        List<KeeperException.Code> codes = error.getResults().stream()
                .map(result -> KeeperException.Code.get(((OpResult.ErrorResult) result).getErr()))
                .collect(Collectors.toList());
        Check.equal(codes, List.of(KeeperException.Code.OK, KeeperException.Code.BADVERSION,
                KeeperException.Code.RUNTIMEINCONSISTENCY));
        Check.equal(client.checkExists().forPath(s.root), before);
    }
}
