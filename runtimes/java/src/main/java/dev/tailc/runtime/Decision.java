package dev.tailc.runtime;

/** What a server must do with a request; a {@link Schedule} uses it again. */
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

  private Kind kind;
  private Request request;
  private int rung;
  private boolean isBoosted;
  private int core;

  Decision() {}

  void set(Kind kind, Request request) {
    this.kind = kind;
    this.request = request;
    rung = request.rung;
    isBoosted = request.isBoosted;
    core = request.core;
  }

  public Kind kind() {
    return kind;
  }

  public Request request() {
    return request;
  }

  public int rung() {
    return rung;
  }

  public boolean isBoosted() {
    return isBoosted;
  }

  /** Number of its core among those of the rung's type; -1 unless rungs are cores. */
  public int core() {
    return core;
  }
}
