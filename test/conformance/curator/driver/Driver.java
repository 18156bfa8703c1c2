import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;

/**
 * Runs scenarios of Curator against a ZooKeeper: {@code java Driver <host:port> <root>}.
 *
 * <p>Ready with the names of the scenarios, it runs them on command
 * ({@code test/support/command-process.ts}), one after another. Ends with its input.
 */
final class Driver {
    private static final long TIME_LIMIT_MS = 25_000;

    private static final List<Class<?>> GROUPS = List.of(
            Acls.class, Nodes.class, PlainClient.class, Sessions.class, Transactions.class, Watchers.class);

    private final Map<String, Method> scenarios = new TreeMap<>();
    private final String connectString;
    private final String root;
    /** Makes and removes the scenarios' roots. */
    private final CuratorFramework control;

    private Driver(String connectString, String root) throws Exception {
        this.connectString = connectString;
        this.root = root;
        control = new Scenario(connectString, root).client();
        for (Class<?> group : GROUPS) {
            for (Method method : group.getDeclaredMethods()) {
                if (!isScenario(method)) continue;
                if (scenarios.put(method.getName(), method) != null) {
                    throw new IllegalStateException("two scenarios are called " + method.getName());
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Driver driver = new Driver(arguments[0], arguments[1]);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println("{\"id\":0,\"value\":[" + driver.scenarios.keySet().stream()
                .map(Driver::json).collect(Collectors.joining(",")) + "]}");
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            // A JSON array of plain words: id, "run", name.
            String[] words = line.substring(1, line.length() - 1).replace("\"", "").split(",");
            String trace = driver.run(words[2]);
            String result = trace.isEmpty() ? "\"value\":null" : "\"error\":" + json(trace);
            out.println("{\"id\":" + words[0] + "," + result + "}");
        }
        driver.control.close();
        // Not a normal end: a scenario that hangs may have left threads that are waited for.
        Runtime.getRuntime().halt(0);
    }

    /** A group's scenarios are its methods that take a {@link Scenario} and nothing else. */
    private static boolean isScenario(Method method) {
        return Modifier.isStatic(method.getModifiers())
                && !Modifier.isPrivate(method.getModifiers())
                && Arrays.equals(method.getParameterTypes(), new Class<?>[] {Scenario.class});
    }

    /** Returns what went wrong, nothing if all was well. */
    private String run(String name) throws InterruptedException {
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        Thread thread = new Thread(() -> attempt(name, problems), name);
        thread.setDaemon(true);
        thread.start();
        thread.join(TIME_LIMIT_MS);
        if (thread.isAlive()) {
            problems.add("not done after " + TIME_LIMIT_MS + " ms; its threads are at\n" + stacks());
        }
        return String.join("\n", problems);
    }

    private void attempt(String name, List<String> problems) {
        Scenario scenario = new Scenario(connectString, root + "/" + name);
        note(problems, () -> control.create().creatingParentsIfNeeded().forPath(scenario.root));
        note(problems, () -> invoke(scenarios.get(name), scenario));
        note(problems, scenario::close);
        note(problems, () -> remove(scenario.root));
    }

    private static void note(List<String> problems, Check.Action action) {
        try {
            action.run();
        } catch (Throwable error) {
            problems.add(trace(error));
        }
    }

    private static void invoke(Method method, Scenario scenario) throws Exception {
        try {
            method.invoke(null, scenario);
        } catch (InvocationTargetException error) {
            Throwable cause = error.getCause();
            // What is below the scenario is the same for all.
            cause.setStackTrace(Arrays.stream(cause.getStackTrace())
                    .takeWhile(frame -> !frame.getClassName().startsWith("jdk.internal.reflect"))
                    .toArray(StackTraceElement[]::new));
            if (cause instanceof Error) throw (Error) cause;
            throw (Exception) cause;
        }
    }

    /** Removes a tree in which no ephemeral node can be left, as all clients are closed. */
    private void remove(String path) throws Exception {
        Stat stat = control.checkExists().forPath(path);
        // An empty container or a node with a time to live may go by itself meanwhile.
        if (stat == null) return;
        Check.isTrue(stat.getEphemeralOwner() == 0, path + " has outlived its session");
        // Who may not read a node may yet delete it, if it has no children.
        if (stat.getNumChildren() > 0) {
            for (String child : control.getChildren().forPath(path)) remove(path + "/" + child);
        }
        control.delete().quietly().forPath(path);
    }

    private static String stacks() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getValue().length > 0)
                .map(entry -> entry.getKey().getName() + ":\n    " + Arrays.stream(entry.getValue())
                        .map(Object::toString).collect(Collectors.joining("\n    ")))
                .collect(Collectors.joining("\n"));
    }

    private static String trace(Throwable error) {
        var writer = new StringWriter();
        error.printStackTrace(new PrintWriter(writer, true));
        return writer.toString();
    }

    private static String json(String text) {
        var quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
