import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;

/** What scenarios expect, and what they wait for. */
final class Check {
    static final long DEADLINE_MS = 10_000;

    interface Action {
        void run() throws Exception;
    }

    private Check() {}

    static void equal(Object actual, Object expected) {
        isTrue(Objects.equals(actual, expected), "expected " + expected + ", got " + actual);
    }

    static void isTrue(boolean condition, String otherwise) {
        if (!condition) throw new AssertionError(otherwise);
    }

    /** Expects exactly this exception: not one of a subclass, which may mean something else. */
    static <E extends Exception> E fails(Class<E> expected, Action action) {
        try {
            action.run();
        } catch (Exception error) {
            if (error.getClass() == expected) return expected.cast(error);
            throw new AssertionError("expected " + expected.getSimpleName() + ", got " + error, error);
        }
        throw new AssertionError("expected " + expected.getSimpleName() + ", and nothing failed");
    }

    /** Expects an answer, or the client's word that there is none; it has a class of its own for that. */
    static void fails(KeeperException.Code expected, Action action) throws Exception {
        try {
            action.run();
        } catch (KeeperException error) {
            equal(error.code(), expected);
            return;
        }
        throw new AssertionError("expected " + expected + ", and nothing failed");
    }

    /** Asks again and again until the condition is true. */
    static void until(String what, Callable<Boolean> condition) throws Exception {
        until(() -> what, condition);
    }

    static void until(Supplier<String> what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
        while (!condition.call()) {
            isTrue(System.nanoTime() < deadline, "waited " + DEADLINE_MS + " ms for " + what.get());
            Thread.sleep(2);
        }
    }

    static <T> T result(Future<T> future) throws Exception {
        return future.get(DEADLINE_MS, TimeUnit.MILLISECONDS);
    }
}
