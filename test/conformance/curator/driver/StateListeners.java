import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.listen.StandardListenerManager;
import org.apache.curator.framework.listen.UnaryListenerManager;
import org.apache.curator.framework.state.ConnectionStateListener;

/**
 * Those who listen to a client's connection. A client says that it is connected before it tells
 * them: who came to listen in between would hear of it or not.
 */
final class StateListeners implements UnaryListenerManager<ConnectionStateListener> {
    private final UnaryListenerManager<ConnectionStateListener> all = StandardListenerManager.standard();
    private final CountDownLatch told = new CountDownLatch(1);

    void awaitFirstConnection() throws InterruptedException {
        Check.isTrue(told.await(Check.DEADLINE_MS, TimeUnit.MILLISECONDS), "the client could not connect");
    }

    @Override
    public void forEach(Consumer<ConnectionStateListener> tell) {
        all.forEach(tell);
        told.countDown();
    }

    @Override
    public void addListener(ConnectionStateListener listener) {
        all.addListener(listener);
    }

    @Override
    public void addListener(ConnectionStateListener listener, Executor executor) {
        all.addListener(listener, executor);
    }

    @Override
    public void removeListener(ConnectionStateListener listener) {
        all.removeListener(listener);
    }

    @Override
    public void clear() {
        all.clear();
    }

    @Override
    public int size() {
        return all.size();
    }
}
