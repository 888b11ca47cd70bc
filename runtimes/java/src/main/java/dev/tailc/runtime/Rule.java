package dev.tailc.runtime;

/** What a server must do beyond the look-up; docs/artifact-format.md of tailc says how. */
public enum Rule {
  // By number in the artifact, from 1 on.
  REREAD_ROW("reread-row"),
  NEVER_DESCEND("never-descend"),
  BOOST_LAST_RUNG("boost-last-rung"),
  AGE_FROM_ARRIVAL("age-from-arrival"),
  CORE_PER_REQUEST("core-per-request"),
  MAKE_ROOM("make-room"),
  WAITED_START_LAST("waited-start-last"),
  BUSY_PERIOD_AGE("busy-period-age"),
  SHED("shed"),
  CUT_OFF("cut-off"),
  DEGRADE("degrade"),
  START_BELOW("start-below"),
  GIVE_UP("give-up");

  private static final Rule[] BY_NUMBER = values();

  private final String word;

  Rule(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  /** Null: not known here. */
  static Rule of(int number) {
    return 0 < number && number <= BY_NUMBER.length ? BY_NUMBER[number - 1] : null;
  }
}
