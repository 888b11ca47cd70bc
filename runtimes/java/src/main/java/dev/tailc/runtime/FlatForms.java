package dev.tailc.runtime;

import dev.tailc.policy.Policy;
import java.nio.ByteBuffer;

/** The FlatBuffer of a payload: of a known version, laid out as a policy is. */
final class FlatForms {
  private static final int SCHEMA_MAJOR = 1;
  private static final int IDENTIFIER_END = 8;

  private FlatForms() {}

  /** The policy, whose accessors may all be used: it has no invalid or unknown parts. */
  static Policy in(ByteBuffer payload) {
    boolean isPolicy =
        payload.limit() >= IDENTIFIER_END && Policy.PolicyBufferHasIdentifier(payload);
    if (!isPolicy) {
      throw new PolicyException(
          Refusal.BAD_STRUCTURE, "the FlatBuffer's identifier is not TLC1");
    }
    Structure structure = new Structure(payload);
    // Another major version may lay out anything else otherwise: its number comes first.
    structure.checkVersion();
    Policy root = Policy.getRootAsPolicy(payload);
    if (root.schemaMajor() != SCHEMA_MAJOR) {
      String version = root.schemaMajor() + "." + root.schemaMinor();
      throw new PolicyException(
          Refusal.UNKNOWN_SCHEMA, "unknown schema `" + version + "`");
    }
    structure.checkAll();
    return root;
  }
}
