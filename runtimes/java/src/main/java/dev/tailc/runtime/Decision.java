package dev.tailc.runtime;

/** What a server must do with a request. */
public final class Decision {
  /** The kinds of decisions. */
  public enum Kind {
    /** It runs the request on its rung. */
    START("start"),
    /** It moves the request up to its rung. */
    CLIMB("climb"),
    /** It moves the request down to its rung. */
    DESCEND("descend"),
    /** It ends the request, unfinished. */
    CUT_OFF("cut-off");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  public final Kind kind;
  public final Request request;
  public final int rung;
  public final boolean isBoosted;

  /** Number of its core among those of the rung's type; -1 unless rungs are cores. */
  public final int core;

  Decision(Kind kind, Request request) {
    this.kind = kind;
    this.request = request;
    this.rung = request.rung;
    this.isBoosted = request.isBoosted;
    this.core = request.core;
  }
}
