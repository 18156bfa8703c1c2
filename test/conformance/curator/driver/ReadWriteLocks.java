import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/** Locks that readers share. */
final class ReadWriteLocks {
    private ReadWriteLocks() {}

    static void readers_share_and_writers_do_not(Scenario s) throws Exception {
        CuratorFramework observer = s.client();
        List<InterProcessReadWriteLock> locks = new ArrayList<>();
        List<Actor> actors = new ArrayList<>();
        for (CuratorFramework client : s.clients(4)) {
            locks.add(new InterProcessReadWriteLock(client, s.path("lock")));
            actors.add(s.actor());
        }
        Check.equal(actors.get(0).call(() -> locks.get(0).readLock().acquire(5, SECONDS)), true);
        Check.equal(actors.get(1).call(() -> locks.get(1).readLock().acquire(5, SECONDS)), true);
        Check.equal(actors.get(2).call(() -> locks.get(2).writeLock().acquire(50, MILLISECONDS)), false);
        Future<?> writing = actors.get(2).start(() -> locks.get(2).writeLock().acquire());
        Check.until("the writer to wait", () -> observer.getChildren().forPath(s.path("lock")).size() == 3);
        // Who comes after a waiting writer waits for it.
        Future<?> reading = actors.get(3).start(() -> locks.get(3).readLock().acquire());
        Check.until("the reader to wait", () -> observer.getChildren().forPath(s.path("lock")).size() == 4);
        actors.get(0).run(locks.get(0).readLock()::release);
        Check.isTrue(!writing.isDone() && !reading.isDone(), "a reader still has the lock");
        actors.get(1).run(locks.get(1).readLock()::release);
        Check.result(writing);
        Check.isTrue(!reading.isDone(), "a writer has the lock");
        actors.get(2).run(locks.get(2).writeLock()::release);
        Check.result(reading);
        actors.get(3).run(locks.get(3).readLock()::release);
    }

    static void writer_may_become_a_reader(Scenario s) throws Exception {
        InterProcessReadWriteLock lock = new InterProcessReadWriteLock(s.client(), s.path("lock"));
        InterProcessReadWriteLock other = new InterProcessReadWriteLock(s.client(), s.path("lock"));
        lock.writeLock().acquire();
        Check.equal(lock.readLock().acquire(5, SECONDS), true);
        Check.equal(other.readLock().acquire(50, MILLISECONDS), false);
        lock.writeLock().release();
        Check.equal(other.readLock().acquire(5, SECONDS), true);
        Check.equal(other.writeLock().acquire(50, MILLISECONDS), false);
        other.readLock().release();
        // A reader cannot become a writer: it would wait for itself.
        Check.equal(lock.writeLock().acquire(50, MILLISECONDS), false);
        lock.readLock().release();
        Check.equal(other.writeLock().acquire(5, SECONDS), true);
        other.writeLock().release();
    }

    static void writers_exclude_under_contention(Scenario s) throws Exception {
        Path file = s.counterFile();
        AtomicInteger torn = new AtomicInteger();
        List<Check.Action> tasks = new ArrayList<>();
        for (CuratorFramework client : s.clients(4)) {
            boolean writes = tasks.size() < 2;
            InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, s.path("lock"));
            tasks.add(() -> {
                for (int i = 0; i < 10; i++) {
                    if (writes) {
                        lock.writeLock().acquire();
                        Scenario.increment(file);
                        lock.writeLock().release();
                    } else {
                        lock.readLock().acquire();
                        String before = Files.readString(file);
                        if (!Files.readString(file).equals(before)) torn.incrementAndGet();
                        lock.readLock().release();
                    }
                }
            });
        }
        s.inParallel(tasks);
        Check.equal(Files.readString(file), "20");
        Check.equal(torn.get(), 0);
    }
}
