import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.RetryNTimes;

/**
 * Takes Curator's locks on command: {@code java Partner <connect string> <session timeout in ms>}.
 *
 * <p>How commands and answers are written: {@code test/support/command-process.ts}. Ends with its
 * input.
 */
final class Partner {
    /** A lock belongs to the thread that took it, so each is taken on a thread of its own. */
    private record Taken(InterProcessMutex lock, ExecutorService thread) {}

    private final Map<String, Taken> taken = new ConcurrentHashMap<>();
    /** The names that some call has asked for. */
    private final Set<String> revoked = ConcurrentHashMap.newKeySet();
    private final Map<String, CountDownLatch> leading = new ConcurrentHashMap<>();
    private final CuratorFramework client;
    private final Permits permits;
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Partner(CuratorFramework client) {
        this.client = client;
        permits = new Permits(client);
    }

    public static void main(String[] arguments) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(arguments[0])
                .sessionTimeoutMs(Integer.parseInt(arguments[1]))
                .retryPolicy(new RetryNTimes(50, 20))
                .build();
        Partner partner = new Partner(client);
        client.start();
        client.blockUntilConnected();
        partner.out.println("{\"id\":0,\"value\":null}");
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService commands = Executors.newCachedThreadPool();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = wordsOf(line);
            commands.execute(() -> partner.answer(words));
        }
        client.close();
        // Not a normal end: threads may still wait for a lock.
        Runtime.getRuntime().halt(0);
    }

    /** Of a JSON array, whose strings must have no commas, quotes and backslashes. */
    private static String[] wordsOf(String line) {
        return line.substring(1, line.length() - 1).replace("\"", "").split(",");
    }

    private void answer(String[] words) {
        try {
            out.println("{\"id\":" + words[0] + ",\"value\":" + json(execute(words)) + "}");
        } catch (Throwable error) {
            var trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace, true));
            out.println("{\"id\":" + words[0] + ",\"error\":" + json(trace.toString()) + "}");
        }
    }

    private Object execute(String[] words) throws Exception {
        String subject = words.length > 2 ? words[2] : "";
        switch (words[1]) {
            case "acquire":
                return take(subject, newLock(words[3], words[4]), true);
            case "try":
                return take(subject, newLock(words[3], words[4]), false);
            case "downgrade":
                return takeDowngraded(subject, new InterProcessReadWriteLock(client, words[3]));
            case "isRevoked":
                return revoked.contains(subject);
            case "release":
                taken.get(subject).thread().submit(() -> {
                    taken.get(subject).lock().release();
                    return null;
                }).get();
                return null;
            case "contenders":
                return newLock(subject, words[3]).getParticipantNodes();
            case "lead":
                return lead(subject, words[3], words[4]);
            case "resign":
                leading.get(subject).countDown();
                return null;
            case "candidates":
                return newSelector(subject, selected -> {}).getParticipants().stream()
                        .map(Participant::getId)
                        .collect(Collectors.toList());
            case "increment":
                inParallel(words, file -> Work.increment(file, "curator"));
                return null;
            case "check":
                inParallel(words, Work::check);
                return null;
            case "permits":
                return permits.execute(subject, Arrays.copyOfRange(words, 3, words.length));
            case "revoke":
                Revoker.attemptRevoke(client, subject);
                return null;
            case "ship":
                new Orders(client).ship(subject, () -> Work.increment(Path.of(words[3]), "curator"));
                return null;
            default:
                throw new IllegalArgumentException(words[1]);
        }
    }

    private InterProcessMutex newLock(String kind, String path) {
        switch (kind) {
            case "mutex":
                return new InterProcessMutex(client, path);
            case "write":
                return new InterProcessReadWriteLock(client, path).writeLock();
            case "read":
                return new InterProcessReadWriteLock(client, path).readLock();
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    private boolean take(String name, InterProcessMutex lock, boolean waits) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        lock.makeRevocable(ignored -> revoked.add(name));
        boolean isTaken = thread.submit(() -> {
            if (!waits) return lock.acquire(0, TimeUnit.SECONDS);
            lock.acquire();
            return true;
        }).get();
        taken.put(name, new Taken(lock, thread));
        return isTaken;
    }

    private boolean takeDowngraded(String name, InterProcessReadWriteLock lock) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        thread.submit(() -> {
            lock.writeLock().acquire();
            lock.readLock().acquire();
            lock.writeLock().release();
            return null;
        }).get();
        taken.put(name, new Taken(lock.readLock(), thread));
        return true;
    }

    private boolean lead(String name, String path, String id) throws Exception {
        var elected = new CountDownLatch(1);
        var done = new CountDownLatch(1);
        leading.put(name, done);
        LeaderSelector selector = newSelector(path, selected -> {
            elected.countDown();
            done.await();
        });
        selector.setId(id);
        selector.start();
        elected.await();
        return true;
    }

    private interface Leader {
        void lead(CuratorFramework selected) throws Exception;
    }

    private LeaderSelector newSelector(String path, Leader leader) {
        return new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework selected) throws Exception {
                leader.lead(selected);
            }
        });
    }

    private interface Task {
        void run(Path file) throws Exception;
    }

    /** {@code <kind> <path> <file> <threads> <times>}: each thread does it so many times, locked. */
    private void inParallel(String[] words, Task task) throws Exception {
        int threads = Integer.parseInt(words[5]);
        int times = Integer.parseInt(words[6]);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            InterProcessMutex lock = newLock(words[2], words[3]);
            started.add(pool.submit(() -> {
                for (int done = 0; done < times; done++) {
                    lock.acquire();
                    try {
                        task.run(Path.of(words[4]));
                    } finally {
                        lock.release();
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : started) each.get();
        pool.shutdown();
    }

    private static String json(Object value) {
        if (value instanceof Collection<?> list) {
            return list.stream().map(Partner::json).collect(Collectors.joining(",", "[", "]"));
        }
        if (!(value instanceof String text)) return String.valueOf(value);
        var quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
