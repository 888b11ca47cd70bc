package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.BatchEngine;
import dev.tailc.policy.BudgetRow;
import dev.tailc.policy.BudgetTable;
import dev.tailc.policy.StepPart;
import dev.tailc.policy.StepTimes;
import java.util.function.IntToLongFunction;

/** Budget tables that contradict themselves are refused. */
final class BudgetMeaning {
  private static final int MOST_ROWS = 4_096;
  private static final int MOST_COLUMNS = 1_024;
  // Products of an amount and a time stay below 2^63.
  private static final long LARGEST_AMOUNT = 1L << 26;
  private static final long LARGEST_NS = 1L << 36;

  private BudgetMeaning() {}

  static void check(BudgetTable form) {
    int columns = form.firstWaitingLength();
    int rows = form.rowsLength();
    require(0 < columns && columns <= MOST_COLUMNS, "`first_waiting` must have 1 to 1024 columns");
    require(
        ascendsFrom0(columns, form::firstWaiting),
        "`first_waiting` must ascend from 0 to at most 2^26");
    require(0 < rows && rows <= MOST_ROWS, "`rows` must have 1 to 4096 rows");
    require(
        ascendsFrom0(rows, at -> form.rows(at).firstDecoding()),
        "`first_decoding` must ascend from 0 to at most 2^26");
    for (int at = 0; at < rows; ++at) {
      // Otherwise prompts wait for ever on an idle server.
      checkRow(form.rows(at), columns, at == 0 ? 1 : 0);
    }
    checkEngine(form.engine());
  }

  private static void checkRow(BudgetRow row, int columns, long least) {
    boolean isWhole = row.budgetsLength() == columns;
    require(isWhole, "`budgets` of a row must have a budget for each column");
    require(
        row.newSequences() >= least,
        "`new_sequences` must not be negative, and above 0 in the first row");
    for (int column = 0; column < columns; ++column) {
      long budget = row.budgets(column);
      require(
          least <= budget && budget <= LARGEST_AMOUNT,
          "`budgets` must be 0 to 2^26, and above 0 in the first row");
    }
  }

  private static void checkEngine(BatchEngine engine) {
    long blocks = engine.kvBlocks();
    long tokens = engine.blockTokens();
    long sequences = engine.maxSequences();
    require(
        Math.min(blocks, Math.min(tokens, sequences)) > 0,
        "`kv_blocks`, `block_tokens`, `max_sequences` must be above 0");
    boolean fits =
        Math.max(tokens, sequences) <= LARGEST_AMOUNT && blocks <= LARGEST_AMOUNT / tokens;
    require(fits, "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26");
    StepTimes step = engine.step();
    boolean isTime = 0 < step.fixedNs() && step.fixedNs() <= LARGEST_NS;
    require(isTime, "`fixed_ns` must be 1 to 2^36");
    checkPart(step.tokens());
    checkPart(step.prompt());
    checkPart(step.decoding());
    checkPart(step.context());
  }

  private static void checkPart(StepPart part) {
    int count = part.knotsLength();
    require(count == part.timeNsLength(), "a knot must have a time, and no other");
    require(count > 1, "`knots` must have at least two amounts");
    require(ascendsFrom0(count, part::knots), "`knots` must ascend from 0 to at most 2^26");
    require(part.timeNs(0) == 0, "`time_ns` must begin with 0");
    for (int at = 1; at < count; ++at) {
      require(part.timeNs(at - 1) <= part.timeNs(at), "`time_ns` must not decrease");
    }
    require(part.timeNs(count - 1) <= LARGEST_NS, "`time_ns` must be at most 2^36");
  }

  /** Whether the first of amounts is 0, and each is above the one before. */
  private static boolean ascendsFrom0(int count, IntToLongFunction amounts) {
    boolean ascends = amounts.applyAsLong(0) == 0;
    for (int at = 1; at < count; ++at) {
      ascends &= amounts.applyAsLong(at - 1) < amounts.applyAsLong(at);
    }
    return ascends && amounts.applyAsLong(count - 1) <= LARGEST_AMOUNT;
  }
}
