import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.Revoker;

/** Locks that let one in at a time. */
final class Locks {
    private Locks() {}

    static void mutex_excludes(Scenario s) throws Exception {
        excludes(s, InterProcessMutex::new);
    }

    static void semaphore_mutex_excludes(Scenario s) throws Exception {
        excludes(s, InterProcessSemaphoreMutex::new);
    }

    /** Several clients with two threads each add to a number that nothing but the lock protects. */
    static void excludes(Scenario s, BiFunction<CuratorFramework, String, InterProcessLock> kind)
            throws Exception {
        Path file = s.counterFile();
        List<Check.Action> counters = new ArrayList<>();
        for (CuratorFramework client : s.clients(3)) {
            InterProcessLock lock = kind.apply(client, s.path("lock"));
            Check.Action count = () -> {
                for (int i = 0; i < 8; i++) {
                    lock.acquire();
                    try {
                        Scenario.increment(file);
                    } finally {
                        lock.release();
                    }
                }
            };
            counters.add(count);
            counters.add(count);
        }
        s.inParallel(counters);
        Check.equal(Files.readString(file), "48");
    }

    static void mutex_is_reentrant(Scenario s) throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(s.client(), s.path("lock"));
        InterProcessMutex other = new InterProcessMutex(s.client(), s.path("lock"));
        Actor first = s.actor();
        Actor second = s.actor();
        first.run(mutex::acquire);
        first.run(mutex::acquire);
        Check.equal(mutex.getParticipantNodes().size(), 1);
        Check.fails(IllegalMonitorStateException.class, mutex::release);
        // Another thread of the same client is somebody else, as is another client.
        Future<?> ofSameClient = second.start(() -> mutex.acquire());
        participants(mutex, 2);
        Actor third = s.actor();
        Future<?> ofOtherClient = third.start(() -> other.acquire());
        participants(mutex, 3);
        first.run(mutex::release);
        Check.equal(first.call(mutex::isOwnedByCurrentThread), true);
        Check.isTrue(!ofSameClient.isDone() && !ofOtherClient.isDone(), "the lock was given away early");
        first.run(mutex::release);
        Check.result(ofSameClient);
        Check.isTrue(!ofOtherClient.isDone(), "two have the lock");
        second.run(mutex::release);
        Check.result(ofOtherClient);
        third.run(other::release);
    }

    static void mutex_is_granted_in_order(Scenario s) throws Exception {
        List<CuratorFramework> clients = s.clients(4);
        InterProcessMutex holder = new InterProcessMutex(clients.get(0), s.path("lock"));
        holder.acquire();
        List<Integer> entered = new CopyOnWriteArrayList<>();
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            int number = i;
            InterProcessMutex mutex = new InterProcessMutex(clients.get(i), s.path("lock"));
            waiting.add(s.start(() -> {
                mutex.acquire();
                entered.add(number);
                mutex.release();
            }));
            participants(holder, i + 1);
        }
        Check.equal(entered, List.of());
        holder.release();
        for (Future<?> each : waiting) Check.result(each);
        Check.equal(entered, List.of(1, 2, 3));
    }

    static void mutex_can_time_out(Scenario s) throws Exception {
        InterProcessMutex holder = new InterProcessMutex(s.client(), s.path("lock"));
        InterProcessMutex waiter = new InterProcessMutex(s.client(), s.path("lock"));
        Check.equal(holder.acquire(5, SECONDS), true);
        Check.equal(waiter.acquire(50, MILLISECONDS), false);
        Check.equal(waiter.acquire(0, SECONDS), false);
        participants(holder, 1);
        holder.release();
        Check.equal(waiter.acquire(5, SECONDS), true);
        waiter.release();
    }

    static void mutex_can_be_revoked(Scenario s) throws Exception {
        CuratorFramework other = s.client();
        InterProcessMutex holder = new InterProcessMutex(s.client(), s.path("lock"));
        InterProcessMutex waiter = new InterProcessMutex(other, s.path("lock"));
        List<Object> asked = new CopyOnWriteArrayList<>();
        holder.makeRevocable(asked::add);
        holder.acquire();
        Future<?> waiting = s.start(() -> waiter.acquire());
        participants(holder, 2);
        Revoker.attemptRevoke(other, holder.getParticipantNodes().iterator().next());
        Check.until("the holder to be asked for the lock", () -> asked.equals(List.of(holder)));
        Check.isTrue(!waiting.isDone(), "it is the holder's to release");
        holder.release();
        Check.result(waiting);
    }

    static void mutex_passes_on_when_its_session_ends(Scenario s) throws Exception {
        List<CuratorFramework> clients = s.clients(3);
        InterProcessMutex first = new InterProcessMutex(clients.get(0), s.path("lock"));
        InterProcessMutex second = new InterProcessMutex(clients.get(1), s.path("lock"));
        InterProcessMutex third = new InterProcessMutex(clients.get(2), s.path("lock"));
        first.acquire();
        Future<?> waiting = s.start(() -> second.acquire());
        participants(third, 2);
        Check.isTrue(!waiting.isDone(), "two have the lock");
        clients.get(0).close();
        Check.result(waiting);
        waiting = s.start(() -> third.acquire());
        participants(third, 2);
        Check.isTrue(!waiting.isDone(), "two have the lock");
        s.expire(clients.get(1));
        Check.result(waiting);
        participants(third, 1);
    }

    static void semaphore_mutex_is_not_reentrant(Scenario s) throws Exception {
        InterProcessSemaphoreMutex mutex = new InterProcessSemaphoreMutex(s.client(), s.path("lock"));
        InterProcessSemaphoreMutex other = new InterProcessSemaphoreMutex(s.client(), s.path("lock"));
        mutex.acquire();
        Check.equal(mutex.acquire(50, MILLISECONDS), false);
        Check.equal(other.acquire(50, MILLISECONDS), false);
        // It may be released by any thread.
        s.actor().run(mutex::release);
        Check.equal(other.acquire(5, SECONDS), true);
        other.release();
    }

    static void multi_lock_takes_all_or_nothing(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        List<String> paths = List.of(s.path("a"), s.path("b"), s.path("c"));
        InterProcessMultiLock all = new InterProcessMultiLock(client, paths);
        InterProcessMutex last = new InterProcessMutex(s.client(), s.path("c"));
        InterProcessMutex first = new InterProcessMutex(s.client(), s.path("a"));
        last.acquire();
        Check.equal(all.acquire(100, MILLISECONDS), false);
        Check.equal(all.isAcquiredInThisProcess(), false);
        Check.equal(first.acquire(5, SECONDS), true);
        first.release();
        last.release();
        Check.equal(all.acquire(5, SECONDS), true);
        Check.equal(first.acquire(50, MILLISECONDS), false);
        Check.equal(last.acquire(50, MILLISECONDS), false);
        all.release();
        Check.equal(last.acquire(5, SECONDS), true);
        last.release();
    }

    private static void participants(InterProcessMutex mutex, int count) throws Exception {
        Check.until(count + " in the queue", () -> mutex.getParticipantNodes().size() == count);
    }
}
