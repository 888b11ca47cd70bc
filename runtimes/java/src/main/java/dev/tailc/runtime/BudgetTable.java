package dev.tailc.runtime;

import dev.tailc.policy.BudgetRow;

/**
 * How many tokens the next iteration of a language model's server batches. Look-ups are for any
 * number of threads at once.
 */
public final class BudgetTable {
  private final long[] firstWaiting;
  private final long[] firstDecoding;
  private final long[] newSequences;
  // Row after row.
  private final long[] budgets;
  private final long kvBlocks;
  private final long blockTokens;
  private final long maxSequences;

  BudgetTable(dev.tailc.policy.BudgetTable form) {
    BudgetMeaning.check(form);
    int columns = form.firstWaitingLength();
    int rows = form.rowsLength();
    firstWaiting = new long[columns];
    firstDecoding = new long[rows];
    newSequences = new long[rows];
    budgets = new long[rows * columns];
    for (int column = 0; column < columns; ++column) {
      firstWaiting[column] = form.firstWaiting(column);
    }
    for (int at = 0; at < rows; ++at) {
      BudgetRow row = form.rows(at);
      firstDecoding[at] = row.firstDecoding();
      newSequences[at] = row.newSequences();
      for (int column = 0; column < columns; ++column) {
        budgets[at * columns + column] = row.budgets(column);
      }
    }
    kvBlocks = form.engine().kvBlocks();
    blockTokens = form.engine().blockTokens();
    maxSequences = form.engine().maxSequences();
  }

  /**
   * The budget of the next iteration. Negative numbers count as 0.
   *
   * @param decoding sequences that decode
   * @param waitingTokens tokens of prompts that are not computed yet, of sequences that run and of
   *     requests that wait
   */
  public void lookup(long decoding, long waitingTokens, Budget budget) {
    int row = cellOf(firstDecoding, decoding);
    budget.tokens = budgets[row * firstWaiting.length + cellOf(firstWaiting, waitingTokens)];
    budget.newSequences = newSequences[row];
  }

  /** Blocks of the key-value cache of the engine that the table is for. */
  public long kvBlocks() {
    return kvBlocks;
  }

  /** Tokens of a block of that cache. */
  public long blockTokens() {
    return blockTokens;
  }

  /** The most sequences that the engine batches. */
  public long maxSequences() {
    return maxSequences;
  }

  /** The number of the last edge that is at most the value; 0 if none is. */
  private static int cellOf(long[] edges, long value) {
    int low = 0;
    for (int count = edges.length; count > 1; count -= count / 2) {
      low += edges[low + count / 2] <= value ? count / 2 : 0;
    }
    return low;
  }
}
