import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;

/** Barriers. */
final class Barriers {
    private Barriers() {}

    static void barrier_holds_back(Scenario s) throws Exception {
        DistributedBarrier barrier = new DistributedBarrier(s.client(), s.path("barrier"));
        DistributedBarrier other = new DistributedBarrier(s.client(), s.path("barrier"));
        Check.equal(other.waitOnBarrier(5, SECONDS), true);
        barrier.setBarrier();
        Check.equal(other.waitOnBarrier(50, MILLISECONDS), false);
        Future<Boolean> waiting = s.start(() -> other.waitOnBarrier(10, SECONDS));
        Check.isTrue(!waiting.isDone(), "the barrier did not hold");
        barrier.removeBarrier();
        Check.equal(Check.result(waiting), true);
    }

    static void double_barrier_waits_for_all(Scenario s) throws Exception {
        CuratorFramework observer = s.client();
        List<DistributedDoubleBarrier> barriers = new ArrayList<>();
        for (CuratorFramework client : s.clients(3)) {
            barriers.add(new DistributedDoubleBarrier(client, s.path("barrier"), 3));
        }
        observer.create().forPath(s.path("barrier"));
        List<Future<?>> entering = List.of(
                s.start(() -> barriers.get(0).enter()), s.start(() -> barriers.get(1).enter()));
        Check.until("two to wait", () -> observer.getChildren().forPath(s.path("barrier")).size() == 2);
        for (Future<?> each : entering) Check.isTrue(!each.isDone(), "it entered without the third");
        Check.equal(barriers.get(2).enter(10, SECONDS), true);
        for (Future<?> each : entering) Check.result(each);

        List<Future<?>> leaving = List.of(
                s.start(() -> barriers.get(0).leave()), s.start(() -> barriers.get(1).leave()));
        Check.until("one to be gone", () -> observer.getChildren().forPath(s.path("barrier")).size() <= 3);
        Check.isTrue(leaving.stream().anyMatch(each -> !each.isDone()), "all left without the third");
        Check.equal(barriers.get(2).leave(10, SECONDS), true);
        for (Future<?> each : leaving) Check.result(each);
    }
}
