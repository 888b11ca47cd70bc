package dev.tailc.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Asks a policy drawn questions: {@code Differential POLICY SEED COUNT}. Prints the checksum of all
 * answers after each 4,096 and at the end; the same lines in every runtime mean the same answers.
 */
final class Differential {
  private static final int QUESTIONS_A_LINE = 4_096;
  private static final int QUESTIONS_A_STEP = 1_024;

  /** So many are for one plan as it was opened: it fills up. */
  private static final int QUESTIONS_A_PLAN = 128;

  private final Path path;
  private Policy policy;
  private long state;
  private long checksum = 0xCBF29CE484222325L;
  private final Answer answer = new Answer();
  private final Budget budget = new Budget();
  private final Deque<String> admitted = new ArrayDeque<>();

  private Differential(Path path, long seed) throws IOException {
    this.path = path;
    this.policy = Policy.open(path);
    this.state = seed;
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 3) {
      System.err.println("usage: Differential POLICY SEED COUNT");
      System.exit(64);
    }
    long count = Long.parseLong(arguments[2]);
    new Differential(Path.of(arguments[0]), Long.parseUnsignedLong(arguments[1])).run(count);
  }

  private void run(long count) throws IOException {
    Asking asking = asking();
    for (long number = 0; number < count; ++number) {
      asking.ask(number);
      if ((number + 1) % QUESTIONS_A_LINE == 0 || number + 1 == count) {
        System.out.println(String.format("%016x", checksum));
      }
    }
  }

  private interface Asking {
    void ask(long number) throws IOException;
  }

  private Asking asking() {
    if (Questions.has(policy::ladders)) {
      return this::askLadders;
    } else if (Questions.has(policy::tailTable)) {
      return this::askTailTable;
    } else if (Questions.has(policy::shares)) {
      return this::askShares;
    } else if (Questions.has(policy::budgetTable)) {
      return this::askBudgets;
    }
    return this::askPlan;
  }

  private void step(long number) {
    if (policy.controller().isPresent() && number % QUESTIONS_A_STEP == 0) {
      Controller controller = policy.controller().get();
      long measuredUs = below(3 * controller.targetUs());
      long rateMrps = below(2 * controller.lastRateMrps() + 2);
      fold(controller.step(measuredUs, rateMrps));
    }
  }

  private void askLadders(long number) {
    step(number);
    List<Ladder> ladders = policy.ladders();
    Ladder ladder = ladders.get((int) below(ladders.size()));
    long load = below(ladder.maxLoad() + 2);
    long waitedUs = below(2 * ladder.largestDelayUs() + 2);
    long executedUs = below(2 * ladder.oldestUs() + 2);
    ladder.lookup(load, waitedUs, executedUs, answer);
    fold(answer.start().ordinal());
    fold(answer.waitUs());
    fold(answer.rung());
    fold(ladder.settings().get(answer.rung()));
  }

  private void fold(RungSetting rung) {
    fold(rung.speedPpm);
    fold(rung.threads.orElse(0));
    fold(rung.frequencyKhz.orElse(0));
    fold(rung.coreType.map(text -> text.getBytes(StandardCharsets.UTF_8).length).orElse(0));
    fold(rung.lane.map(lane -> lane.ordinal() + 1).orElse(0));
    fold(rung.oneThreadPpm.orElse(0));
  }

  private void askTailTable(long number) {
    step(number);
    TailTable table = policy.tailTable();
    long boundNs = table.boundUs() * 1_000;
    long[] agesNs = new long[(int) (1 + below(table.positions() + 1))];
    long previous = 2 * boundNs;
    for (int i = 0; i < agesNs.length; ++i) {
      agesNs[i] = previous = below(previous + 1);
    }
    long cycles = below(2 * table.lastElapsedCycles() + 2);
    long memoryNs = below(boundNs + 1);
    fold(table.frequencyKhz(agesNs, agesNs.length, cycles, memoryNs));
  }

  private void askBudgets(long number) {
    BudgetTable table = policy.budgetTable();
    long decoding = below(2 * table.maxSequences());
    table.lookup(decoding, below(2 * table.kvBlocks() * table.blockTokens()), budget);
    fold(budget.tokens());
    fold(budget.newSequences());
  }

  private void askShares(long number) {
    Shares shares = policy.shares();
    double[] throughput = new double[shares.served().size()];
    for (int i = 0; i < throughput.length; ++i) {
      throughput[i] = below(1_000_000) / 1_000.0;
    }
    long[] waiting = new long[throughput.length];
    for (int i = 0; i < waiting.length; ++i) {
      // Nothing once in a while.
      waiting[i] = below(64);
    }
    shares.tick(throughput, waiting);
    for (int i = 0; i < shares.machines().size(); ++i) {
      fold(shares.grantedPpm(i));
    }
    for (Served one : shares.served()) {
      fold(Double.doubleToRawLongBits(one.a()));
      fold(Double.doubleToRawLongBits(one.b()));
    }
  }

  private void askPlan(long number) throws IOException {
    if (number % QUESTIONS_A_PLAN == 0) {
      policy = Policy.open(path);
      admitted.clear();
    }
    Plan plan = policy.plan();
    long largest = plan.pools().stream().mapToLong(pool -> pool.servers).max().getAsLong();
    long what = below(8);
    long first = below(plan.epochs().size() + 2);
    long count = 1 + below(8);
    long width = 1 + below(largest + 2);
    long greenPpm = below(1_000_001);
    boolean isMalleable = plan.malleable().isPresent();
    if (what == 6) {
      release(plan, first);
    } else if (what == 7 ? !isMalleable : isMalleable) {
      fold(what == 7 ? 9 : 8);
    } else {
      try {
        if (what == 7) {
          take(plan, "t" + number, first, count, width);
        } else {
          quote(plan, what < 4 ? null : "q" + number, first, count, width, greenPpm);
        }
      } catch (IllegalArgumentException invalid) {
        fold(3);
      }
    }
  }

  /** {@code job}: null where nothing is to be admitted. */
  private void quote(Plan plan, String job, long first, long count, long width, long greenPpm) {
    Quote told =
        job == null
            ? plan.quote(first, count, width, greenPpm)
            : plan.admit(job, first, count, width, greenPpm);
    fold(told.isAdmitted() ? 0 : told.places().isPresent() ? 1 : 2);
    fold(told.paysUdollars);
    fold(told.worthUdollars);
    fold(told.greenSlots);
    if (job != null) {
      told.places().ifPresent(this::fold);
      if (told.isAdmitted()) {
        admitted.push(job);
      }
    }
  }

  private void take(Plan plan, String job, long first, long count, long width) {
    var places = plan.take(job, first, count, width);
    fold(places.isPresent() ? 1 : 0);
    places.ifPresent(this::fold);
  }

  private void release(Plan plan, long first) {
    fold(admitted.isEmpty() ? 0 : 1);
    if (!admitted.isEmpty()) {
      plan.release(admitted.pop(), first);
    }
  }

  private void fold(List<Span> places) {
    for (Span span : places) {
      fold(span.firstEpoch);
      fold(span.pool);
      fold(span.epochs);
      fold(span.servers);
    }
  }

  private void fold(long value) {
    checksum = (checksum ^ value) * 0x100000001B3L;
  }

  private long below(long count) {
    return Long.remainderUnsigned(next(), count);
  }

  /** SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
  private long next() {
    state += 0x9E3779B97F4A7C15L;
    long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
