import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.shared.SharedCount;

/**
 * Takes leases of Curator's semaphore on command. How many there are is a number, or
 * {@code <path>=<seed>} for a shared count.
 */
final class Permits {
    private final Map<String, Collection<Lease>> taken = new ConcurrentHashMap<>();
    private final CuratorFramework client;

    Permits(CuratorFramework client) {
        this.client = client;
    }

    Object execute(String what, String[] words) throws Exception {
        switch (what) {
            case "acquire":
                taken.put(words[0], open(words[1], words[2]).acquire(Integer.parseInt(words[3])));
                return true;
            case "try":
                Collection<Lease> leases =
                        open(words[1], words[2]).acquire(Integer.parseInt(words[3]), 0, TimeUnit.SECONDS);
                if (leases != null) taken.put(words[0], leases);
                return leases != null;
            case "release":
                for (Lease lease : taken.remove(words[0])) lease.close();
                return null;
            case "leases":
                return open(words[0], "1").getParticipantNodes();
            case "occupy":
                occupy(words);
                return null;
            case "count":
                return startedCount(words[0]).getCount();
            case "setCount":
                startedCount(words[0]).setCount(Integer.parseInt(words[1]));
                return null;
            default:
                throw new IllegalArgumentException(what);
        }
    }

    private InterProcessSemaphoreV2 open(String path, String permits) throws Exception {
        return permits.startsWith("/")
                ? new InterProcessSemaphoreV2(client, path, startedCount(permits))
                : new InterProcessSemaphoreV2(client, path, Integer.parseInt(permits));
    }

    private SharedCount startedCount(String count) throws Exception {
        String[] parts = count.split("=");
        var shared = new SharedCount(client, parts[0], Integer.parseInt(parts[1]));
        shared.start();
        return shared;
    }

    /** {@code <path> <permits> <file> <threads> <times>}: each thread has one so many times, and notes it. */
    private void occupy(String[] words) throws Exception {
        Path file = Path.of(words[2]);
        int threads = Integer.parseInt(words[3]);
        int times = Integer.parseInt(words[4]);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            InterProcessSemaphoreV2 semaphore = open(words[0], words[1]);
            started.add(pool.submit(() -> {
                for (int done = 0; done < times; done++) {
                    Lease lease = semaphore.acquire();
                    try {
                        note(file, "curator +1\n");
                        Thread.sleep(10);
                        note(file, "curator -1\n");
                    } finally {
                        lease.close();
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : started) each.get();
        pool.shutdown();
    }

    private static void note(Path file, String line) throws Exception {
        Files.writeString(file, line, StandardOpenOption.APPEND);
    }
}
