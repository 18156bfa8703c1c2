import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/**
 * Threads that begin cycle after cycle until the time is over, each with a lock object of its own,
 * or all with the same one.
 */
final class Tasks {
    private static final int READS_PER_WRITE = 20;

    private final CuratorFramework client;
    private final String work;
    private final boolean ownKeys;
    private final String path;
    private final Locks shared;
    private final Histogram handOver = new Histogram();
    private long grantedAt;
    private final List<Long> grants = new ArrayList<>();
    private long pauseMs;
    private long holdMs;

    Tasks(CuratorFramework client, String work, String keys, String path, boolean shareLocks) {
        this.client = client;
        this.work = work;
        this.ownKeys = keys.equals("own");
        this.path = path;
        this.shared = shareLocks ? locksOf(path) : null;
    }

    private record Locks(InterProcessMutex mutex, InterProcessReadWriteLock readWrite) {}

    private Locks locksOf(String key) {
        return new Locks(new InterProcessMutex(client, key), new InterProcessReadWriteLock(client, key));
    }

    /** The outcome, as JSON. */
    String run(int tasks, double seconds, long pauseMs, long holdMs) throws Exception {
        this.pauseMs = pauseMs;
        this.holdMs = holdMs;
        if (!work.equals("try")) return runAll(tasks, seconds);
        InterProcessMutex busy = new InterProcessMutex(client, keyOf(0));
        busy.acquire();
        try {
            return runAll(tasks, seconds);
        } finally {
            busy.release();
        }
    }

    private String runAll(int tasks, double seconds) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(tasks);
        long endsAt = System.nanoTime() + (long) (seconds * 1e9);
        List<Future<Task>> started = new ArrayList<>();
        for (int number = 0; number < tasks; number++) {
            Task task = new Task(number, endsAt);
            started.add(pool.submit(() -> task.run()));
        }
        List<String> cycles = new ArrayList<>();
        Histogram acquire = new Histogram();
        Histogram cycle = new Histogram();
        for (Future<Task> each : started) {
            Task task = each.get();
            cycles.add(String.valueOf(task.inTime));
            acquire.add(task.acquire);
            cycle.add(task.cycle);
        }
        pool.shutdown();
        String counts = cycles.stream().collect(Collectors.joining(",", "[", "]"));
        return "{\"cycles\":" + counts + ",\"acquire\":" + acquire + ",\"cycle\":" + cycle
                + ",\"handOver\":" + handOver + grantsAsJson() + "}";
    }

    /** Called by the holder of the one key. */
    private synchronized void granted(long at) {
        if (grantedAt != 0) handOver.add(at - grantedAt);
        grantedAt = at;
        grants.add(at);
    }

    /** In milliseconds. */
    private synchronized String grantsAsJson() {
        if (grants.isEmpty()) return "";
        return grants.stream()
                .map(at -> String.format(Locale.ROOT, "%.3f", at / 1e6))
                .collect(Collectors.joining(",", ",\"grants\":[", "]"));
    }

    private long pause() {
        return holdMs > 0 ? upToTwice(pauseMs) : pauseMs;
    }

    /** A random whole number with this mean. */
    private static long upToTwice(long mean) {
        return ThreadLocalRandom.current().nextLong(2 * mean + 1);
    }

    private String keyOf(int task) {
        return ownKeys ? path + "-" + task : path;
    }

    private final class Task {
        private final Histogram acquire = new Histogram();
        private final Histogram cycle = new Histogram();
        private final int number;
        private final long endsAt;
        private final Locks locks;
        private long inTime;

        Task(int number, long endsAt) {
            this.number = number;
            this.endsAt = endsAt;
            locks = shared == null ? locksOf(keyOf(number)) : shared;
        }

        Task run() throws Exception {
            if (holdMs > 0) Thread.sleep(pause());
            for (int turn = number; ; turn++) {
                long askedAt = System.nanoTime();
                if (askedAt >= endsAt) return this;
                InterProcessMutex held = take(turn);
                long heldAt = System.nanoTime();
                if (work.equals("write") && !ownKeys) granted(heldAt);
                if (holdMs > 0) Thread.sleep(upToTwice(holdMs));
                long releaseAt = System.nanoTime();
                if (held != null) held.release();
                long releasedAt = System.nanoTime();
                acquire.add(heldAt - askedAt);
                cycle.add(releasedAt - releaseAt + heldAt - askedAt);
                if (releasedAt <= endsAt) inTime++;
                if (pauseMs > 0) Thread.sleep(pause());
            }
        }

        private InterProcessMutex take(int turn) throws Exception {
            if (work.equals("try")) {
                if (locks.mutex.acquire(0, TimeUnit.SECONDS)) throw new Exception("taken by two");
                return null;
            }
            InterProcessMutex lock = locks.mutex;
            if (work.equals("mixed")) {
                boolean writes = turn % READS_PER_WRITE == 0;
                lock = writes ? locks.readWrite.writeLock() : locks.readWrite.readLock();
            }
            lock.acquire();
            return lock;
        }
    }
}
