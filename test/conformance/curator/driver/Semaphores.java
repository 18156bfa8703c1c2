import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.shared.SharedCount;

/** Semaphores. */
final class Semaphores {
    private Semaphores() {}

    static void semaphore_limits_leases(Scenario s) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Check.Action> tasks = new ArrayList<>();
        for (CuratorFramework client : s.clients(4)) {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, s.path("semaphore"), 2);
            tasks.add(() -> {
                for (int i = 0; i < 6; i++) {
                    Lease lease = semaphore.acquire();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    // Stays until somebody else had a chance to come in.
                    Thread.sleep(1);
                    inside.decrementAndGet();
                    semaphore.returnLease(lease);
                }
            });
        }
        s.inParallel(tasks);
        Check.isTrue(most.get() <= 2, most + " had one of two leases");
    }

    static void semaphore_gets_leases_back(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, s.path("semaphore"), 3);
        InterProcessSemaphoreV2 other = new InterProcessSemaphoreV2(s.client(), s.path("semaphore"), 3);
        Collection<Lease> two = semaphore.acquire(2);
        // Two more there are not, and nothing is kept of a try for them.
        Check.equal(other.acquire(2, 50, MILLISECONDS), null);
        Lease third = other.acquire(5, SECONDS);
        Check.equal(other.getParticipantNodes().size(), 3);
        Check.equal(other.acquire(50, MILLISECONDS), null);
        semaphore.returnAll(two);
        two = semaphore.acquire(2, 5, SECONDS);
        Check.equal(two.size(), 2);
        Future<Lease> waiting = s.start(() -> other.acquire());
        Check.until("the waiter to wait", () -> other.getParticipantNodes().size() == 4);
        Check.isTrue(!waiting.isDone(), "a fourth lease was given out");
        // A lease comes back with the session that has it.
        client.close();
        other.returnLease(Check.result(waiting));
        third.close();
    }

    static void semaphore_has_a_shared_size(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        SharedCount size = s.closing(new SharedCount(client, s.path("size"), 1));
        size.start();
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, s.path("semaphore"), size);
        Lease first = semaphore.acquire(5, SECONDS);
        Future<Lease> waiting = s.start(() -> semaphore.acquire());
        Check.until("the waiter to wait", () -> semaphore.getParticipantNodes().size() == 2);
        Check.isTrue(!waiting.isDone(), "a second lease was given out");
        size.setCount(2);
        semaphore.returnLease(Check.result(waiting));
        semaphore.returnLease(first);
    }
}
