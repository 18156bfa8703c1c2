import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.atomic.PromotedToLock;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.shared.SharedCountListener;
import org.apache.curator.framework.recipes.shared.SharedCountReader;
import org.apache.curator.framework.recipes.shared.VersionedValue;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;

/** Numbers that clients share. */
final class Counters {
    private Counters() {}

    static void shared_count_is_seen_by_all(Scenario s) throws Exception {
        SharedCount mine = s.closing(new SharedCount(s.client(), s.path("count"), 5));
        SharedCount other = s.closing(new SharedCount(s.client(), s.path("count"), 9));
        mine.start();
        other.start();
        // The first to start makes the value.
        Check.equal(other.getCount(), 5);
        List<Integer> seen = new CopyOnWriteArrayList<>();
        other.addListener(new SharedCountListener() {
            @Override
            public void countHasChanged(SharedCountReader count, int value) {
                seen.add(value);
            }

            @Override
            public void stateChanged(CuratorFramework client, ConnectionState state) {}
        });
        VersionedValue<Integer> before = other.getVersionedValue();
        mine.setCount(6);
        Check.until("the other to see 6", () -> seen.equals(List.of(6)));
        Check.equal(other.trySetCount(before, 7), false);
        Check.equal(other.trySetCount(other.getVersionedValue(), 8), true);
        Check.until("the first to see 8", () -> mine.getCount() == 8);
    }

    static void atomic_long_counts(Scenario s) throws Exception {
        List<CuratorFramework> clients = s.clients(3);
        List<Check.Action> tasks = new ArrayList<>();
        for (CuratorFramework client : clients) {
            // Under contention it tries again, and then takes a lock.
            DistributedAtomicLong number = new DistributedAtomicLong(client, s.path("number"),
                    new RetryNTimes(2, 1), PromotedToLock.builder().lockPath(s.path("lock"))
                            .retryPolicy(new RetryNTimes(100, 1)).timeout(10, TimeUnit.SECONDS).build());
            tasks.add(() -> {
                for (int i = 0; i < 20; i++) {
                    Check.equal(number.add(3L).succeeded(), true);
                    Check.equal(number.decrement().succeeded(), true);
                }
            });
        }
        s.inParallel(tasks);
        DistributedAtomicLong number = new DistributedAtomicLong(
                clients.get(0), s.path("number"), new RetryNTimes(2, 1));
        AtomicValue<Long> value = number.get();
        Check.equal(value.succeeded(), true);
        Check.equal(value.postValue(), 120L);
        Check.equal(number.compareAndSet(119L, 1L).succeeded(), false);
        Check.equal(number.compareAndSet(120L, 1L).succeeded(), true);
        Check.equal(number.initialize(7L), false);
        Check.equal(number.get().postValue(), 1L);
    }
}
