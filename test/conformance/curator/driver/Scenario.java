import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooKeeper;

/** One run of one scenario, with a root of its own; what it opens is closed when it is over. */
final class Scenario {
    final String root;
    final String connectString;
    private final List<CuratorFramework> clients = new ArrayList<>();
    private final List<Relay> relays = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread created = new Thread(task, "scenario");
        created.setDaemon(true);
        return created;
    });

    Scenario(String connectString, String root) {
        this.connectString = connectString;
        this.root = root;
    }

    String path(String name) {
        return root + "/" + name;
    }

    /** A connected client. */
    CuratorFramework client() throws Exception {
        return client(options -> {});
    }

    CuratorFramework client(Consumer<CuratorFrameworkFactory.Builder> options) throws Exception {
        StateListeners listeners = new StateListeners();
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectionStateListenerManagerFactory(client -> listeners)
                .connectString(hosts(connectString))
                .sessionTimeoutMs(10_000)
                .connectionTimeoutMs(5_000)
                .retryPolicy(new RetryNTimes(50, 20));
        options.accept(builder);
        CuratorFramework client = builder.build();
        clients.add(client);
        client.start();
        listeners.awaitFirstConnection();
        return client;
    }

    /** A client whose connection can be cut. */
    CuratorFramework client(Relay relay) throws Exception {
        return client(options -> options.connectString(hosts(relay.connectString())));
    }

    /** The address three times: a client waits a second before it goes back to the last one it had. */
    static String hosts(String address) {
        return String.join(",", address, address, address);
    }

    Relay relay() throws IOException {
        Relay relay = new Relay(connectString);
        relays.add(relay);
        return relay;
    }

    /** Runs something on a thread of its own. */
    <T> Future<T> start(Callable<T> task) {
        return threads.submit(task);
    }

    void close() throws Exception {
        // Each takes a tenth of a second.
        List<Future<?>> closings = new ArrayList<>();
        for (CuratorFramework client : clients) closings.add(threads.submit(client::close));
        for (Future<?> each : closings) Check.result(each);
        for (Relay relay : relays) relay.close();
        threads.shutdownNow();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static long sessionId(CuratorFramework client) throws Exception {
        return client.getZookeeperClient().getZooKeeper().getSessionId();
    }

    /** Ends the client's session from another connection, so that the client finds it expired. */
    void expire(CuratorFramework client) throws Exception {
        ZooKeeper zookeeper = client.getZookeeperClient().getZooKeeper();
        while (!closeSession(zookeeper.getSessionId(), zookeeper.getSessionPasswd())) {
            // The client was faster in connecting again, and so took its session back.
        }
    }

    private boolean closeSession(long session, byte[] password) throws IOException {
        String[] address = connectString.split(":");
        try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
            var request = new ByteArrayOutputStream();
            var out = new DataOutputStream(request);
            out.writeInt(28 + password.length + 1);
            out.writeInt(0);
            out.writeLong(0);
            out.writeInt(10_000);
            out.writeLong(session);
            out.writeInt(password.length);
            out.write(password);
            out.writeBoolean(false);
            out.writeInt(8);
            out.writeInt(1);
            out.writeInt(-11);
            // In one go: after the first the server ends the other connection.
            socket.getOutputStream().write(request.toByteArray());
            var in = new DataInputStream(socket.getInputStream());
            byte[] connected = in.readNBytes(in.readInt());
            boolean isOver = ByteBuffer.wrap(connected).getInt(4) == 0;
            if (!isOver) in.readInt();
            return true;
        } catch (EOFException cutOff) {
            return false;
        }
    }
}
