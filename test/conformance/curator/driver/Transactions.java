import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
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
                client.transactionOp().create().forPath(s.path("new"), Scenario.bytes("new")),
                client.transactionOp().create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(s.path("new/e-")),
                client.transactionOp().setData().withVersion(0).forPath(s.path("set"), Scenario.bytes("changed")),
                client.transactionOp().delete().withVersion(0).forPath(s.path("old")));
        Check.equal(
                results.stream().map(CuratorTransactionResult::getType).collect(Collectors.toList()),
                List.of(OperationType.CHECK, OperationType.CREATE, OperationType.CREATE,
                        OperationType.SET_DATA, OperationType.DELETE));
        Check.equal(results.get(1).getResultPath(), s.path("new"));
        Check.equal(results.get(2).getResultPath(), s.path("new/e-0000000000"));
        Stat set = client.checkExists().forPath(s.path("set"));
        Check.equal(results.get(3).getResultStat(), set);
        Check.equal(client.checkExists().forPath(s.path("old")), null);
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
        Check.equal(codes(error.getResults()), List.of(
                KeeperException.Code.OK, KeeperException.Code.BADVERSION,
                KeeperException.Code.RUNTIMEINCONSISTENCY));
        Check.equal(client.checkExists().forPath(s.root), before);

        error = Check.fails(KeeperException.NoNodeException.class, () -> client.transaction().forOperations(
                client.transactionOp().setData().forPath(s.path("missing"), new byte[0])));
        Check.equal(codes(error.getResults()), List.of(KeeperException.Code.NONODE));
        Check.fails(KeeperException.NodeExistsException.class, () -> client.transaction().forOperations(
                client.transactionOp().delete().forPath(s.path("checked")),
                client.transactionOp().create().forPath(s.path("checked")),
                client.transactionOp().create().forPath(s.path("checked"))));
        Check.equal(client.checkExists().forPath(s.root), before);
    }

    static void transaction_creates_all_kinds(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        List<CuratorTransactionResult> results = client.transaction().forOperations(
                client.transactionOp().create().withMode(CreateMode.CONTAINER).forPath(s.path("container")),
                client.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                        .forPath(s.path("container/n-")),
                client.transactionOp().create().withTtl(60_000).withMode(CreateMode.PERSISTENT_WITH_TTL)
                        .forPath(s.path("ttl")),
                client.transactionOp().create().withMode(CreateMode.EPHEMERAL).forPath(s.path("ephemeral")));
        Check.equal(results.get(1).getResultPath(), s.path("container/n-0000000000"));
        Check.equal(client.checkExists().forPath(s.path("container")).getEphemeralOwner(), 0L);
        Check.equal(client.checkExists().forPath(s.path("ttl")).getEphemeralOwner(), 0L);
        Check.equal(client.checkExists().forPath(s.path("ephemeral")).getEphemeralOwner(),
                Scenario.sessionId(client));
    }

    @SuppressWarnings("deprecation")
    static void old_transactions_work_too(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        Collection<CuratorTransactionResult> results = client.inTransaction()
                .create().forPath(s.path("a"))
                .and().create().forPath(s.path("a/b"))
                .and().setData().forPath(s.path("a"), Scenario.bytes("data"))
                .and().delete().forPath(s.path("a/b"))
                .and().commit();
        Check.equal(results.size(), 4);
        Check.equal(Scenario.text(client.getData().forPath(s.path("a"))), "data");
        Check.equal(client.checkExists().forPath(s.path("a")).getCversion(), 2);
    }

    static void large_transaction(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        int count = 300;
        CuratorOp[] creates = new CuratorOp[count];
        for (int i = 0; i < count; i++) {
            creates[i] = client.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                    .forPath(s.path("n-"), new byte[1000]);
        }
        List<CuratorTransactionResult> results = client.transaction().forOperations(creates);
        for (int i = 0; i < count; i++) {
            Check.equal(results.get(i).getResultPath(), s.path(String.format("n-%010d", i)));
        }
        CuratorOp[] deletes = new CuratorOp[count];
        for (int i = 0; i < count; i++) {
            deletes[i] = client.transactionOp().delete().forPath(results.get(i).getResultPath());
        }
        client.transaction().forOperations(deletes);
        Check.equal(client.checkExists().forPath(s.root).getNumChildren(), 0);
    }

    private static List<KeeperException.Code> codes(List<OpResult> results) {
        return results.stream()
                .map(result -> KeeperException.Code.get(((OpResult.ErrorResult) result).getErr()))
                .collect(Collectors.toList());
    }
}
