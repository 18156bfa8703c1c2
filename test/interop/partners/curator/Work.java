import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What locks guard in these tests: a number in a file and its copy, without any atomicity. */
final class Work {
    private Work() {}

    static void increment(Path file, String who) throws Exception {
        String next = String.valueOf(Integer.parseInt(Files.readString(file)) + 1);
        Files.writeString(Path.of(file + ".copy"), next);
        // Lets other threads run here, in case one is in this place.
        Thread.sleep(1);
        Files.writeString(
                Path.of(file + ".tokens"), who + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Files.writeString(file, next);
    }

    static void check(Path file) throws Exception {
        String number = Files.readString(file);
        Thread.sleep(1);
        String copy = Files.readString(Path.of(file + ".copy"));
        if (!number.equals(copy)) {
            throw new IllegalStateException("torn: the number is " + number + ", its copy " + copy);
        }
    }
}
