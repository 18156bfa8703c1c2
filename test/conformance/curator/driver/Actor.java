import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** One thread that does one thing after another. */
final class Actor implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread created = new Thread(task, "actor");
        created.setDaemon(true);
        return created;
    });

    <T> Future<T> start(Callable<T> task) {
        return thread.submit(task);
    }

    Future<?> start(Check.Action action) {
        return start(() -> {
            action.run();
            return null;
        });
    }

    <T> T call(Callable<T> task) throws Exception {
        return Check.result(start(task));
    }

    void run(Check.Action action) throws Exception {
        Check.result(start(action));
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
