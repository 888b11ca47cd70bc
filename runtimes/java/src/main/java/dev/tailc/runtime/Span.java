package dev.tailc.runtime;

/** So many servers of a pool, from an epoch on, for so many epochs. */
public final class Span {
  public final int pool;
  public final int firstEpoch;
  public final int epochs;
  public final long servers;

  Span(int pool, int firstEpoch, int epochs, long servers) {
    this.pool = pool;
    this.firstEpoch = firstEpoch;
    this.epochs = epochs;
    this.servers = servers;
  }
}
