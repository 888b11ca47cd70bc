import dev.tailc.runtime.Answer;
import dev.tailc.runtime.Ladder;
import dev.tailc.runtime.Policy;
import dev.tailc.runtime.PolicyWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * One look-up in Java, and opening a policy: {@code Lookup FILE LOADS AGE_US}.
 *
 * <p>Prints nanoseconds per look-up: of independent queries, of the same queries to a policy whose
 * file is watched, of queries that each wait for the answer before, and of the rung alone. Then
 * prints microseconds to open the policy from bytes and from the file. Queries are drawn beforehand:
 * loads below LOADS, ages below AGE_US.
 */
final class Lookup {
  // Many short rounds: on a busy machine some are left alone. The first ones are compiled.
  private static final int REPEATS = 2_000;
  private static final int QUERIES = 16_384;
  private static final int OPENINGS = 20;

  private static volatile long kept;

  private interface Work {
    void run(int calls) throws IOException;
  }

  /** The least nanoseconds of a call of {@code work}, of {@code calls} in a row. */
  private static double leastNs(int calls, Work work) throws IOException {
    double least = Double.POSITIVE_INFINITY;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
      long begun = System.nanoTime();
      work.run(calls);
      least = Math.min(least, (double) (System.nanoTime() - begun) / calls);
    }
    return least;
  }

  private static long[] drawn(SplittableRandom random, long below) {
    return random.longs(QUERIES, 0, below).toArray();
  }

  private static void apart(Ladder ladder, Answer answer, long[] loads, long[] agesUs) {
    long sum = 0;
    for (int i = 0; i < loads.length; ++i) {
      sum += ladder.lookup(loads[i], 0, agesUs[i], answer).rung();
    }
    kept = sum;
  }

  private static void watched(PolicyWatch watch, Answer answer, long[] loads, long[] agesUs) {
    long sum = 0;
    for (int i = 0; i < loads.length; ++i) {
      sum += watch.current().ladder().lookup(loads[i], 0, agesUs[i], answer).rung();
    }
    kept = sum;
  }

  private static void chained(Ladder ladder, Answer answer, long[] loads, long[] agesUs) {
    int rung = 0;
    for (int i = 0; i < loads.length; ++i) {
      // No policy has as many rungs, which the compiler does not know.
      rung = ladder.lookup(loads[i], 0, agesUs[i] + (rung >> 31), answer).rung();
    }
    kept = rung;
  }

  private static void rungs(Ladder ladder, long[] loads, long[] agesUs) {
    long sum = 0;
    for (int i = 0; i < loads.length; ++i) {
      sum += ladder.rung(loads[i], 0, agesUs[i]);
    }
    kept = sum;
  }

  private static void open(Path path, byte[] bytes, int calls) throws IOException {
    for (int i = 0; i < calls; ++i) {
      kept = (bytes == null ? Policy.open(path) : Policy.open(bytes)).generation();
    }
  }

  public static void main(String[] arguments) throws IOException {
    Path path = Path.of(arguments[0]);
    byte[] bytes = Files.readAllBytes(path);
    Ladder ladder = Policy.open(path).ladder();
    Answer answer = new Answer();
    SplittableRandom random = new SplittableRandom(1);
    long[] loads = drawn(random, Long.parseLong(arguments[1]));
    long[] agesUs = drawn(random, Long.parseLong(arguments[2]));
    double apartNs = leastNs(QUERIES, calls -> apart(ladder, answer, loads, agesUs));
    double watchedNs;
    try (PolicyWatch watch = PolicyWatch.open(path).start()) {
      watchedNs = leastNs(QUERIES, calls -> watched(watch, answer, loads, agesUs));
    }
    double chainedNs = leastNs(QUERIES, calls -> chained(ladder, answer, loads, agesUs));
    double rungNs = leastNs(QUERIES, calls -> rungs(ladder, loads, agesUs));
    double bytesUs = leastNs(OPENINGS, calls -> open(path, bytes, calls)) / 1e3;
    double fileUs = leastNs(OPENINGS, calls -> open(path, null, calls)) / 1e3;
    System.out.printf("%.2f %.2f %.2f %.2f ", apartNs, watchedNs, chainedNs, rungNs);
    System.out.printf("%.2f %.2f%n", bytesUs, fileUs);
  }
}
