package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.TailRow;

/** What is left until each request is done, by what the running one has had. */
final class TailRows {
  private final int positions;
  private final long[] from;
  // Row after row.
  private final long[] left;

  /** {@code parts}: how many of its unit one entry counts; none is above {@code most}. */
  TailRows(TailRow.Vector rows, long most, long parts) {
    boolean isFromZero = rows.length() > 0 && rows.get(0).fromElapsed() == 0;
    require(isFromZero, "`from_elapsed` of the first row must be 0");
    positions = rows.get(0).leftLength();
    require(positions > 0, "`left` of a row must not be empty");
    for (int i = 0; i < rows.length(); ++i) {
      require(
          rows.get(i).leftLength() == positions, "all rows must have the same number of positions");
    }
    from = new long[rows.length()];
    left = new long[rows.length() * positions];
    for (int i = 0; i < from.length; ++i) {
      read(rows.get(i), i, most, parts);
    }
  }

  private void read(TailRow row, int number, long most, long parts) {
    from[number] = row.fromElapsed();
    require(
        number == 0 || from[number - 1] < from[number],
        "`from_elapsed` must increase from row to row");
    long before = 0;
    for (int i = 0; i < positions; ++i) {
      long entry = row.left(i);
      require(
          before <= entry && entry <= most,
          "`left` of a row must be 0 or more, and must not decrease with the position");
      left[number * positions + i] = entry * parts;
      before = entry;
    }
  }

  int positions() {
    return positions;
  }

  long lastFrom() {
    return from[from.length - 1];
  }

  int rowAt(long elapsed) {
    int low = 0;
    for (int count = from.length; count > 1; count -= count / 2) {
      low += from[low + count / 2] <= elapsed ? count / 2 : 0;
    }
    return low;
  }

  long left(int row, int position) {
    return left[row * positions + position];
  }
}
