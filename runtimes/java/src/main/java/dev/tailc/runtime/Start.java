package dev.tailc.runtime;

/** What a request that has not started does. */
public enum Start {
  /** It may start. */
  NOW("now"),
  /** It looks up again when its wait is over, and at every arrival and exit. */
  WAIT("wait"),
  /** It starts when a request exits. */
  ON_EXIT("on-exit");

  private final String word;

  Start(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}
