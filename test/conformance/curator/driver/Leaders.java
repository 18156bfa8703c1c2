import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListener;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;

/** Elections. */
final class Leaders {
    private Leaders() {}

    static void leader_latch_has_one_leader(Scenario s) throws Exception {
        List<CuratorFramework> clients = s.clients(3);
        List<LeaderLatch> latches = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LeaderLatch latch = s.closing(new LeaderLatch(clients.get(i), s.path("latch"), "id-" + i));
            latches.add(latch);
            latch.start();
            int count = i + 1;
            Check.until(count + " candidates", () -> latches.get(0).getParticipants().size() == count);
        }
        latches.get(0).await();
        Check.equal(
                latches.get(2).getParticipants().stream().map(Participant::getId).collect(Collectors.toList()),
                List.of("id-0", "id-1", "id-2"));
        Check.equal(leaders(latches), List.of(0));
        latches.get(0).close();
        Check.until("the second to lead", () -> leaders(latches).equals(List.of(1)));
        Check.equal(latches.get(2).getLeader().getId(), "id-1");

        List<String> told = new CopyOnWriteArrayList<>();
        latches.get(1).addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                told.add("leader");
            }

            @Override
            public void notLeader() {
                told.add("not leader");
            }
        });
        s.expire(clients.get(1));
        Check.until("the third to lead", () -> leaders(latches).equals(List.of(2)));
        Check.until("the second to be told", () -> told.equals(List.of("not leader")));
        Check.until("the second to be a candidate again", () -> latches.get(2).getParticipants().size() == 2);
        latches.get(2).close();
        Check.until("the second to lead again", () -> told.equals(List.of("not leader", "leader")));
    }

    static void leader_selector_has_one_leader(Scenario s) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Integer> led = new CopyOnWriteArrayList<>();
        List<CuratorFramework> clients = s.clients(3);
        for (int i = 0; i < 3; i++) {
            int number = i;
            LeaderSelector selector = selector(s, clients.get(i), client -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                led.add(number);
                inside.decrementAndGet();
            });
            selector.autoRequeue();
            selector.start();
        }
        Check.until("each to lead twice", () -> List.of(0, 1, 2).stream()
                .allMatch(number -> led.stream().filter(number::equals).count() >= 2));
        Check.equal(most.get(), 1);
    }

    static void leadership_can_be_interrupted(Scenario s) throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        LeaderSelector first = selector(s, s.client(), client -> {
            told.add("first leads");
            try {
                new CountDownLatch(1).await();
            } finally {
                told.add("first is interrupted");
            }
        });
        first.start();
        Check.until("the first to lead", () -> told.equals(List.of("first leads")));
        LeaderSelector second = selector(s, s.client(), client -> told.add("second leads"));
        second.start();
        Check.until("two candidates", () -> first.getParticipants().size() == 2);
        Check.equal(first.hasLeadership(), true);
        first.interruptLeadership();
        Check.until("the second to lead", () -> told.equals(
                List.of("first leads", "first is interrupted", "second leads")));
    }

    private interface Leader {
        void lead(CuratorFramework client) throws Exception;
    }

    private static LeaderSelector selector(Scenario s, CuratorFramework client, Leader leader) {
        LeaderSelectorListener listener = new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework from) throws Exception {
                leader.lead(from);
            }
        };
        return s.closing(new LeaderSelector(client, s.path("selector"), listener));
    }

    private static List<Integer> leaders(List<LeaderLatch> latches) {
        List<Integer> leaders = new ArrayList<>();
        for (int i = 0; i < latches.size(); i++) {
            if (latches.get(i).hasLeadership()) leaders.add(i);
        }
        return leaders;
    }
}
