import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Many threads that wait for one key. The lock is handed from one to the next on command. */
final class WaitingLine {
    private final CuratorFramework client;
    private long grants;
    private List<Double> handOvers = new ArrayList<>();
    private long grantedAt;
    /** The grant whose holder keeps the lock. */
    private long last = 1;
    private CountDownLatch arrived;
    /** Releases the held lock. */
    private CountDownLatch held;

    WaitingLine(CuratorFramework client) {
        this.client = client;
    }

    /** Returns when one waiter has the lock, and the others are about to ask for it. */
    void fill(int waiters, String path) throws Exception {
        CountDownLatch first = arrival(0);
        ask(path);
        first.await();
        for (int i = 0; i < waiters; i++) ask(path);
    }

    /** The milliseconds of each of the given number of hand-overs. */
    List<Double> hand(int handOvers) throws Exception {
        CountDownLatch done = arrival(handOvers);
        held.countDown();
        done.await();
        return this.handOvers;
    }

    private synchronized CountDownLatch arrival(int handOvers) {
        if (handOvers > 0) last = grants + handOvers;
        this.handOvers = new ArrayList<>();
        grantedAt = System.nanoTime();
        arrived = new CountDownLatch(1);
        return arrived;
    }

    private void ask(String path) {
        InterProcessMutex lock = new InterProcessMutex(client, path);
        Thread thread = new Thread(() -> {
            try {
                lock.acquire();
                granted().await();
                lock.release();
            } catch (Exception error) {
                error.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** The signal that lets the new holder release. */
    private synchronized CountDownLatch granted() {
        grants++;
        long now = System.nanoTime();
        handOvers.add((now - grantedAt) / 1e6);
        grantedAt = now;
        CountDownLatch letGo = new CountDownLatch(1);
        if (grants < last) {
            letGo.countDown();
        } else {
            held = letGo;
            arrived.countDown();
        }
        return letGo;
    }
}
