import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * Takes locks of one ephemeral node on command, by ZooKeeper's own client, as tutorials do: {@code java
 * PlainPartner <connect string> <session timeout in ms>}.
 *
 * <p>How commands and answers are written: {@code test/support/command-process.ts}. Ends with its
 * input.
 */
final class PlainPartner {
    private final Map<String, OneNodeLock> taken = new ConcurrentHashMap<>();
    private final ZooKeeper client;
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private PlainPartner(ZooKeeper client) {
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        var connected = new CountDownLatch(1);
        var client = new ZooKeeper(arguments[0], Integer.parseInt(arguments[1]), event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        var partner = new PlainPartner(client);
        partner.out.println("{\"id\":0,\"value\":null}");
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService commands = Executors.newCachedThreadPool();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.substring(1, line.length() - 1).replace("\"", "").split(",");
            commands.execute(() -> partner.answer(words));
        }
        client.close();
        // Not a normal end: threads may still wait for a lock.
        Runtime.getRuntime().halt(0);
    }

    private void answer(String[] words) {
        try {
            out.println("{\"id\":" + words[0] + ",\"value\":" + execute(words) + "}");
        } catch (Throwable error) {
            String text = error.toString().replace('"', '\'').replace('\n', ' ');
            out.println("{\"id\":" + words[0] + ",\"error\":\"" + text + "\"}");
        }
    }

    /** The words are those of {@code test/interop/support/partner.ts}; a path is that of the node. */
    private Object execute(String[] words) throws Exception {
        switch (words[1]) {
            case "acquire":
                var lock = new OneNodeLock(client, words[4]);
                lock.lock();
                taken.put(words[2], lock);
                return true;
            case "try":
                var tried = new OneNodeLock(client, words[4]);
                taken.put(words[2], tried);
                return tried.tryLock();
            case "release":
                taken.get(words[2]).unlock();
                return null;
            case "increment":
                increment(words[3], Path.of(words[4]), Integer.parseInt(words[5]), Integer.parseInt(words[6]));
                return null;
            default:
                throw new IllegalArgumentException(Arrays.toString(words));
        }
    }

    private void increment(String path, Path file, int threads, int times) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> working = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            working.add(pool.submit(() -> {
                for (int time = 0; time < times; time++) {
                    var lock = new OneNodeLock(client, path);
                    lock.lock();
                    Work.increment(file, "plain");
                    lock.unlock();
                }
                return null;
            }));
        }
        for (Future<?> one : working) {
            one.get();
        }
        pool.shutdown();
    }
}
