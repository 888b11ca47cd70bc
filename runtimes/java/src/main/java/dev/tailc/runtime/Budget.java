package dev.tailc.runtime;

/** Where a look-up of a budget writes its answer; to be used again, by one thread at a time. */
public final class Budget {
  long tokens;
  long newSequences;

  /**
   * The most tokens of an iteration: every decoding sequence takes one first, and prompts take the
   * rest.
   */
  public long tokens() {
    return tokens;
  }

  /** How many sequences may start in the iteration. */
  public long newSequences() {
    return newSequences;
  }
}
