package dev.tailc.runtime;

import java.util.List;
import java.util.Optional;

/** What a job brings, and what its places are worth. */
public final class Quote {
  static final Quote NO_ROOM = new Quote(0, 0, 0, null);

  /** Less the penalty for promised slots that the places do not meet. */
  public final long paysUdollars;

  public final long worthUdollars;
  public final long greenSlots;
  private final List<Span> places;

  Quote(long paysUdollars, long worthUdollars, long greenSlots, List<Span> places) {
    this.paysUdollars = paysUdollars;
    this.worthUdollars = worthUdollars;
    this.greenSlots = greenSlots;
    this.places = places;
  }

  /** Empty: there is no room. */
  public Optional<List<Span>> places() {
    return Optional.ofNullable(places);
  }

  /** Whether it pays more than it takes from others. */
  public boolean isAdmitted() {
    return places != null && paysUdollars > worthUdollars;
  }
}
