package dev.tailc.runtime;

import dev.tailc.policy.FormBox;
import dev.tailc.policy.Ladder;
import dev.tailc.policy.Policy;
import java.nio.ByteBuffer;

/** The FlatBuffer of a payload: of a known version, laid out as a policy is. */
final class FlatForms {
  private static final int SCHEMA_MAJOR = 1;
  private static final int IDENTIFIER_END = 8;

  private FlatForms() {}

  /** The policy, all of whose accessors may be used: nothing in it is broken or unknown. */
  static Policy in(ByteBuffer payload) {
    checkVersion(payload);
    try {
      new Structure(payload).checkWhole();
    } catch (PolicyException broken) {
      // A form or a rule that is not known here is still named: its policy may lack what those of
      // this version have.
      new Structure(payload).checkForms();
      check(Policy.getRootAsPolicy(payload));
      throw broken;
    }
    Policy root = Policy.getRootAsPolicy(payload);
    check(root);
    return root;
  }

  /** Another major version may lay out anything else otherwise: its number comes first. */
  private static void checkVersion(ByteBuffer payload) {
    boolean isPolicy =
        payload.limit() >= IDENTIFIER_END && Policy.PolicyBufferHasIdentifier(payload);
    if (!isPolicy) {
      throw new PolicyException(
          Refusal.BAD_STRUCTURE, "the FlatBuffer's identifier is not TLC1");
    }
    new Structure(payload).checkVersion();
    Policy root = Policy.getRootAsPolicy(payload);
    if (root.schemaMajor() != SCHEMA_MAJOR) {
      String version = root.schemaMajor() + "." + root.schemaMinor();
      throw new PolicyException(
          Refusal.UNKNOWN_SCHEMA, "schema `" + version + "` is not known here");
    }
  }

  private static void check(Policy root) {
    for (int i = 0; i < root.formsLength(); ++i) {
      FormBox box = root.forms(i);
      int number = Byte.toUnsignedInt(box.formType());
      if (!Layout.isForm(number)) {
        throw new PolicyException(
            Refusal.UNKNOWN_FORM, "form `" + box.formName() + "` is not known here");
      }
      if (number == dev.tailc.policy.Form.Ladder) {
        Ladder ladder = (Ladder) box.form(new Ladder());
        checkRules(ladder);
        checkRows(ladder);
      }
    }
  }

  /** Rules by number; one that is not known here is refused by the name beside it. */
  private static void checkRules(Ladder ladder) {
    if (ladder.rulesLength() != ladder.ruleNamesLength()) {
      throw new PolicyException(
          Refusal.BAD_STRUCTURE, "rules and their names differ in number");
    }
    for (int i = 0; i < ladder.rulesLength(); ++i) {
      Rule rule = Rule.of(ladder.rules(i));
      String name = ladder.ruleNames(i);
      if (rule == null || !rule.word().equals(name)) {
        throw new PolicyException(Refusal.UNKNOWN_RULE, "rule `" + name + "` is not known here");
      }
    }
  }

  /** Rows must follow each other in the climbs, none beyond their end. */
  private static void checkRows(Ladder ladder) {
    long next = 0;
    for (int i = 0; i < ladder.rowsLength(); ++i) {
      boolean follows = ladder.rows(i).firstClimb() == next;
      next += ladder.rows(i).climbCount();
      if (!follows || next > ladder.climbsLength()) {
        throw new PolicyException(
            Refusal.BAD_STRUCTURE, "rows do not follow each other in the climbs");
      }
    }
  }
}
