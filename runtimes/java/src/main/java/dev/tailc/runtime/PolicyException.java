package dev.tailc.runtime;

/** The bytes are not a policy that this program may act on. */
public final class PolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Refusal refusal;

  PolicyException(Refusal refusal, String why) {
    super(why);
    this.refusal = refusal;
  }

  /** The same refusal with the name of the file. */
  PolicyException(Object path, PolicyException of) {
    super(path + ": " + of.getMessage(), of);
    this.refusal = of.refusal;
  }

  public Refusal refusal() {
    return refusal;
  }

  /** Refuses a policy that contradicts itself. */
  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new PolicyException(Refusal.BAD_MEANING, otherwise);
    }
  }
}
