package dev.tailc.runtime;

/** In an epoch {@code batteryMj} go in, below 0 come out; {@code storedMj} at its end. */
public final class Stored {
  public final long batteryMj;
  public final long storedMj;

  Stored(long batteryMj, long storedMj) {
    this.batteryMj = batteryMj;
    this.storedMj = storedMj;
  }
}
