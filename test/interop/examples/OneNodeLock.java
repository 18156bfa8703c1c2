import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

record OneNodeLock(ZooKeeper client, String path) {
    void lock() throws Exception {
        while (!tryLock()) {
            var changed = new CountDownLatch(1);
            if (client.exists(path, event -> changed.countDown()) != null) {
                changed.await();
            }
        }
    }

    boolean tryLock() throws Exception {
        try {
            client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            return true;
        } catch (KeeperException.NodeExistsException taken) {
            return false;
        }
    }

    void unlock() throws Exception {
        client.delete(path, -1);
    }
}
