import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Durations in the buckets of {@code bench/driver/buckets.ts}. */
final class Histogram {
    private static final double PER_E = 50;

    private final Map<Integer, Long> counts = new TreeMap<>();

    void add(long nanoseconds) {
        double ms = Math.max(nanoseconds / 1e6, 1e-6);
        counts.merge((int) Math.floor(Math.log(ms) * PER_E), 1L, Long::sum);
    }

    void add(Histogram other) {
        other.counts.forEach((bucket, count) -> counts.merge(bucket, count, Long::sum));
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
