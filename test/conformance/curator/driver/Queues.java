import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.DistributedDelayQueue;
import org.apache.curator.framework.recipes.queue.DistributedPriorityQueue;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;
import org.apache.curator.framework.state.ConnectionState;

/** Queues. */
final class Queues {
    /** Keeps what it gets. */
    private static final class Consumer implements QueueConsumer<String> {
        private final List<String> got = new CopyOnWriteArrayList<>();

        @Override
        public void consumeMessage(String message) {
            got.add(message);
        }

        @Override
        public void stateChanged(CuratorFramework client, ConnectionState state) {}
    }

    private static final QueueSerializer<String> STRINGS = new QueueSerializer<>() {
        @Override
        public byte[] serialize(String item) {
            return Scenario.bytes(item);
        }

        @Override
        public String deserialize(byte[] bytes) {
            return Scenario.text(bytes);
        }
    };

    private Queues() {}

    static void queue_gives_each_to_one_consumer(Scenario s) throws Exception {
        DistributedQueue<String> producer = s.closing(builder(s, s.client(), null).buildQueue());
        producer.start();
        List<Consumer> consumers = List.of(new Consumer(), new Consumer());
        for (Consumer consumer : consumers) {
            DistributedQueue<String> queue = s.closing(
                    builder(s, s.client(), consumer).lockPath(s.path("locks")).buildQueue());
            queue.start();
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            producer.put(String.format("%03d", i));
            expected.add(String.format("%03d", i));
        }
        Check.until("all to be consumed", () -> all(consumers).size() >= expected.size());
        Check.equal(all(consumers), expected);
    }

    static void queue_is_in_order(Scenario s) throws Exception {
        DistributedQueue<String> producer = s.closing(builder(s, s.client(), null).buildQueue());
        producer.start();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            producer.put("item " + i);
            expected.add("item " + i);
        }
        Consumer consumer = new Consumer();
        DistributedQueue<String> queue = s.closing(builder(s, s.client(), consumer).buildQueue());
        queue.start();
        Check.until("all to be consumed", () -> consumer.got.size() >= expected.size());
        Check.equal(consumer.got, expected);
    }

    static void priority_queue_prefers(Scenario s) throws Exception {
        DistributedPriorityQueue<String> producer = s.closing(builder(s, s.client(), null).buildPriorityQueue(0));
        producer.start();
        producer.put("late", 9);
        producer.put("first", 1);
        producer.put("second", 1);
        producer.put("negative", -1);
        Check.equal(producer.flushPuts(5, SECONDS), true);
        Consumer consumer = new Consumer();
        DistributedPriorityQueue<String> queue = s.closing(
                builder(s, s.client(), consumer).executor(Runnable::run).buildPriorityQueue(0));
        queue.start();
        Check.until("all to be consumed", () -> consumer.got.size() >= 4);
        Check.equal(consumer.got, List.of("negative", "first", "second", "late"));
    }

    static void delay_queue_waits(Scenario s) throws Exception {
        DistributedDelayQueue<String> producer = s.closing(builder(s, s.client(), null).buildDelayQueue());
        producer.start();
        long started = System.currentTimeMillis();
        producer.put("later", started + 400);
        producer.put("sooner", started + 200);
        Check.equal(producer.flushPuts(5, SECONDS), true);
        Consumer consumer = new Consumer();
        DistributedDelayQueue<String> queue = s.closing(builder(s, s.client(), consumer).buildDelayQueue());
        queue.start();
        Check.until("both to be consumed", () -> consumer.got.size() >= 2);
        long took = System.currentTimeMillis() - started;
        Check.equal(consumer.got, List.of("sooner", "later"));
        Check.isTrue(took >= 400, "consumed after " + took + " ms");
    }

    static void simple_queue_can_be_waited_for(Scenario s) throws Exception {
        SimpleDistributedQueue queue = new SimpleDistributedQueue(s.client(), s.path("queue"));
        SimpleDistributedQueue other = new SimpleDistributedQueue(s.client(), s.path("queue"));
        Check.equal(queue.peek(), null);
        Check.equal(queue.poll(50, MILLISECONDS), null);
        queue.offer(Scenario.bytes("a"));
        queue.offer(Scenario.bytes("b"));
        Check.equal(Scenario.text(other.peek()), "a");
        Check.equal(Scenario.text(other.remove()), "a");
        Check.equal(Scenario.text(other.take()), "b");
        Future<byte[]> waiting = s.start(() -> other.poll(10, SECONDS));
        Check.isTrue(!waiting.isDone(), "there was something left");
        queue.offer(Scenario.bytes("c"));
        Check.equal(Scenario.text(Check.result(waiting)), "c");
    }

    private static QueueBuilder<String> builder(Scenario s, CuratorFramework client, Consumer consumer) {
        return QueueBuilder.builder(client, consumer, STRINGS, s.path("queue"));
    }

    private static List<String> all(List<Consumer> consumers) {
        List<String> all = new ArrayList<>();
        for (Consumer consumer : consumers) all.addAll(consumer.got);
        Collections.sort(all);
        return all;
    }
}
