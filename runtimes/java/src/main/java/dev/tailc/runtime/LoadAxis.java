package dev.tailc.runtime;

/** What the load of a look-up counts. */
public enum LoadAxis {
  /** Requests in the system, waiting ones included. */
  IN_SYSTEM,
  /** Arrivals in thousandths of a request per second. */
  RATE
}
