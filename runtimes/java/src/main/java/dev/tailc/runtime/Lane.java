package dev.tailc.runtime;

/** Whether a request shares its cores with batch work. */
public enum Lane {
  SHARED,
  ALONE;

  static Lane of(int number) {
    return number == dev.tailc.policy.Lane.SHARED ? SHARED : ALONE;
  }

  /** The word of canonical JSON. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
