import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

final class Orders {
    interface Shipping {
        void ship() throws Exception;
    }

    private final CuratorFramework client;

    Orders(CuratorFramework client) {
        this.client = client;
    }

    void ship(String id, Shipping shipping) throws Exception {
        InterProcessMutex lock =
                new InterProcessReadWriteLock(client, "/locks/order:" + id).writeLock();
        lock.acquire();
        try {
            shipping.ship(); // one process at a time, per order
        } finally {
            lock.release();
        }
    }
}
