import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Does the benchmark's work with Curator's locks: {@code java Driver <connect string> <root>
 * [shared]}. With {@code shared}, one lock object serves all threads.
 *
 * <p>The commands are those of {@code bench/driver/protocol.ts}. Ends with its input.
 */
final class Driver {
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final CuratorFramework client;
    private final String root;
    private final boolean shareLocks;
    private final WaitingLine line;

    private Driver(CuratorFramework client, String root, boolean shareLocks) {
        this.client = client;
        this.root = root;
        this.shareLocks = shareLocks;
        line = new WaitingLine(client);
    }

    public static void main(String[] arguments) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(arguments[0])
                .sessionTimeoutMs(30_000)
                .retryPolicy(new ExponentialBackoffRetry(100, 10))
                .build();
        client.start();
        client.blockUntilConnected();
        Driver driver = new Driver(client, arguments[1], arguments.length > 2);
        driver.out.println("{\"id\":0,\"value\":null}");
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService commands = Executors.newCachedThreadPool();
        for (String words = in.readLine(); words != null; words = in.readLine()) {
            String[] command = wordsOf(words);
            commands.execute(() -> driver.answer(command));
        }
        client.close();
        // Not a normal end: threads may still wait for a lock.
        Runtime.getRuntime().halt(0);
    }

    /** Parses a JSON array. Its strings must not contain commas, quotes or backslashes. */
    private static String[] wordsOf(String line) {
        return line.substring(1, line.length() - 1).replace("\"", "").split(",");
    }

    private void answer(String[] words) {
        try {
            out.println("{\"id\":" + words[0] + ",\"value\":" + execute(words) + "}");
        } catch (Throwable error) {
            var trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace, true));
            out.println("{\"id\":" + words[0] + ",\"error\":" + quoted(trace.toString()) + "}");
        }
    }

    /** The answer as JSON. */
    private String execute(String[] words) throws Exception {
        switch (words[1]) {
            case "run":
                return new Tasks(client, words[2], words[3], root + "/" + words[6], shareLocks)
                        .run(
                                Integer.parseInt(words[4]),
                                Double.parseDouble(words[5]),
                                Long.parseLong(words[7]),
                                words.length > 8 ? Long.parseLong(words[8]) : 0);
            case "fill":
                line.fill(Integer.parseInt(words[2]), root + "/" + words[3]);
                return "null";
            case "hand":
                return line.hand(Integer.parseInt(words[2])).toString();
            case "stall":
                return "null";
            case "memory":
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                return String.valueOf(runtime.totalMemory() - runtime.freeMemory());
            default:
                throw new IllegalArgumentException(words[1]);
        }
    }

    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
