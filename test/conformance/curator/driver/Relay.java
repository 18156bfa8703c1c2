import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between a client and the server, so that the connection can be cut and answers lost. */
final class Relay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final String host;
    private final int port;
    private volatile boolean isCut;
    private volatile boolean losesAnswers;

    Relay(String server) throws IOException {
        host = server.split(":")[0];
        port = Integer.parseInt(server.split(":")[1]);
        start(this::accept);
    }

    String connectString() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** Ends the connections, and every new one, until {@link #restore}. */
    void cut() {
        isCut = true;
        hangUp();
    }

    /** Ends the connections; the client may connect again. */
    void hangUp() {
        open.forEach(Relay::closeQuietly);
    }

    /** From now on requests get through, and answers do not, until {@link #restore}. */
    void loseAnswers() {
        losesAnswers = true;
    }

    void restore() {
        losesAnswers = false;
        isCut = false;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        hangUp();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(host, port);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                open.add(client);
                open.add(server);
                // Looked at last, so that a cut at the same time is seen here or sees these.
                if (isCut) hangUp();
                start(() -> pump(client, server, false));
                start(() -> pump(server, client, true));
            } catch (IOException error) {
                // Closed, or the server is away: the client tries again.
            }
        }
    }

    private void pump(Socket from, Socket to, boolean isAnswers) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                if (!(isAnswers && losesAnswers)) out.write(buffer, 0, length);
            }
        } catch (IOException closed) {
            // The end of both, as below.
        } finally {
            for (Socket socket : new Socket[] {from, to}) {
                closeQuietly(socket);
                open.remove(socket);
            }
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Closeable resource) {
        try {
            resource.close();
        } catch (IOException ignored) {
            // Nothing is left to be closed.
        }
    }
}
