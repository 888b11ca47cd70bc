import dev.tailc.runtime.Answer;
import dev.tailc.runtime.Decision;
import dev.tailc.runtime.Ladder;
import dev.tailc.runtime.Policy;
import dev.tailc.runtime.Request;
import dev.tailc.runtime.Schedule;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;

/**
 * Times a request that starts, climbs and exits, and its look-ups alone: {@code ScheduleCost FILE}.
 *
 * <p>Prints nanoseconds of a request, and of the look-ups that it makes, each the least of many short
 * rounds in turns, of compiled code; and how many bytes a request allocates.
 */
final class ScheduleCost {
  private static final int ROUNDS = 6_000;
  private static final int REQUESTS = 500;

  private final Schedule schedule;
  private final Ladder ladder;
  private final Answer answer = new Answer();
  private long nowNs;
  private long sum;

  private ScheduleCost(Policy policy) {
    schedule = new Schedule(policy, 0);
    ladder = policy.ladder();
  }

  private void request() {
    Request arrived = schedule.arrive(nowNs, null).get();
    nowNs += ladder.quantumUs() * 1_000;
    schedule.wake(nowNs);
    schedule.exit(arrived, nowNs);
    List<Decision> decisions = schedule.takeDecisions();
    sum += decisions.get(decisions.size() - 1).rung();
  }

  private void lookups() {
    ladder.lookup(1, 0, 0, answer);
    sum += answer.rung() + ladder.rung(1, 0, sum & 1);
    sum += ladder.rung(1, 0, ladder.quantumUs());
  }

  private static double nsOf(Runnable work) {
    long begun = System.nanoTime();
    for (int i = 0; i < REQUESTS; ++i) {
      work.run();
    }
    return (double) (System.nanoTime() - begun) / REQUESTS;
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Bytes that a call allocates, without those of the measurement. */
  private static double allocatedBy(Runnable work) {
    long first = allocated();
    long second = allocated();
    nsOf(work);
    return (double) (allocated() - second - (second - first)) / REQUESTS;
  }

  public static void main(String[] arguments) throws IOException {
    ScheduleCost cost = new ScheduleCost(Policy.open(Path.of(arguments[0])));
    Runnable request = cost::request;
    Runnable lookups = cost::lookups;
    double requestNs = Double.POSITIVE_INFINITY;
    double lookupsNs = Double.POSITIVE_INFINITY;
    for (int round = 0; round < ROUNDS; ++round) {
      requestNs = Math.min(requestNs, nsOf(request));
      lookupsNs = Math.min(lookupsNs, nsOf(lookups));
    }
    System.out.printf("%.1f %.1f %.2f%n", requestNs, lookupsNs, allocatedBy(request));
  }
}
