package dev.tailc.runtime;

/** Questions to whatever was opened, which must be safe to ask. */
final class Questions {
  private Questions() {}

  static void ask(Policy policy) {
    policy.controller().ifPresent(controller -> controller.step(300_000, 10_000));
    if (has(policy::ladders)) {
      policy.ladders().forEach(Questions::ask);
    } else if (has(policy::tailTable)) {
      ask(policy.tailTable());
    } else if (has(policy::budgetTable)) {
      policy.budgetTable().lookup(5, 700, new Budget());
    } else if (has(policy::shares)) {
      ask(policy.shares());
    } else {
      ask(policy.plan());
    }
  }

  /** Whether the policy has the form that is asked for. */
  static boolean has(Runnable form) {
    try {
      form.run();
      return true;
    } catch (PolicyException other) {
      return false;
    }
  }

  private static void ask(Ladder ladder) {
    Answer answer = new Answer();
    for (long load : new long[] {0, 5, 4_095, 4_096, 1L << 40, Long.MAX_VALUE}) {
      for (long ageUs : new long[] {0, 2, 100_000, Long.MAX_VALUE}) {
        ladder.lookup(load, 1, ageUs, answer);
        if (answer.rung() < 0 || answer.rung() >= ladder.rungs().size()) {
          throw new AssertionError("no such rung");
        }
      }
    }
  }

  private static void ask(TailTable table) {
    long[] agesNs = {5_000, 7};
    table.level(agesNs, 2, 9, 9);
    table.level(agesNs, 1, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private static void ask(Shares shares) {
    double[] throughput = new double[shares.served().size()];
    for (int i = 0; i < 10; ++i) {
      shares.tick(throughput);
    }
  }

  private static void ask(Plan plan) {
    plan.epochAt(0);
    if (plan.terms().isPresent()) {
      plan.admit("asked", 0, 2, 1, 500_000);
    } else {
      plan.take("asked", 0, 2, 1);
    }
  }
}
