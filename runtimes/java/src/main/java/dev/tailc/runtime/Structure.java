package dev.tailc.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/**
 * The structure of a FlatBuffer, verified before any accessor follows an offset.
 *
 * <p>FlatBuffers has no verifier for Java, and those for other languages differ in what they refuse.
 * This one follows the rules of docs/artifact-format.md, "Structure", in the order of all readers.
 */
final class Structure {
  static final int OFFSET_BYTES = 4;

  private static final int SLOT_BYTES = 2;
  // A list of fields begins with its own size and that of its table.
  private static final int HEAD_BYTES = 4;
  private static final int LONG_BYTES = 8;
  private static final int ROW_BYTES = 32;
  private static final long LARGEST = (1L << 53) - 1;
  // Ids in Policy, in FormBox and in Ladder, and places in Row.
  private static final int FORMS = 8;
  private static final int FORM_TYPE = 0;
  private static final int FORM = 1;
  private static final int FORM_NAME = 2;
  private static final int RULES = 4;
  private static final int RULE_NAMES = 5;
  private static final int ROWS = 7;
  private static final int CLIMBS = 8;
  private static final int FIRST_CLIMB_AT = 16;
  private static final int CLIMB_COUNT_AT = 20;

  private final ByteBuffer buffer;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
  // Vectors and strings share no bytes, so all of them together fit into the buffer.
  private long left;

  /** Where a table begins, its size, and where its list of fields lies. */
  private static final class Table {
    final int at;
    final int size;
    final int slots;
    final int slotsSize;

    Table(int at, int size, int slots, int slotsSize) {
      this.at = at;
      this.size = size;
      this.slots = slots;
      this.slotsSize = slotsSize;
    }
  }

  /** {@code buffer}: little endian, and from 0 on. */
  Structure(ByteBuffer buffer) {
    this.buffer = buffer;
    this.left = buffer.limit();
  }

  /** The root and its first two fields: another major version may change all the rest. */
  void checkVersion() {
    Table root = start(target(0));
    checkField(root, Layout.of("Policy"), 0);
    checkField(root, Layout.of("Policy"), 1);
  }

  /** Everything; forms come first, so that one that is not known is refused by its name. */
  void checkAll() {
    Table root = start(target(0));
    Layout policy = Layout.of("Policy");
    checkField(root, policy, FORMS);
    for (int id = 0; id < policy.fields.size(); ++id) {
      if (id != FORMS) {
        checkField(root, policy, id);
      }
    }
  }

  /** Everything from a root that is no policy. */
  void checkRoot(String table) {
    checkTable(target(0), Layout.of(table));
  }

  private void checkTable(int at, Layout layout) {
    Table table = start(at);
    for (int id = 0; id < layout.fields.size(); ++id) {
      checkField(table, layout, id);
    }
    if (layout.name.equals("FormBox")) {
      checkForm(table);
    } else if (layout.name.equals("Ladder")) {
      checkRules(table);
      checkRows(table);
    }
  }

  private void checkField(Table table, Layout layout, int id) {
    Layout.Field field = layout.fields.get(id);
    int at = fieldAt(table, id, field.bytesInTable());
    if (at == 0) {
      require(!field.isRequired, "a required field is missing");
    } else if (field.isVector) {
      checkVector(target(at), field);
    } else if (field.bytes > 0) {
      checkNumbers(at, 1, field.bytes);
    } else {
      checkElement(target(at), field);
    }
  }

  private void checkVector(int at, Layout.Field field) {
    int count = count(at, field.bytes > 0 ? field.bytes : OFFSET_BYTES);
    int first = at + OFFSET_BYTES;
    if (field.bytes > 0) {
      checkNumbers(first, count, field.bytes);
      return;
    }
    for (int i = 0; i < count; ++i) {
      checkElement(target(first + i * OFFSET_BYTES), field);
    }
  }

  /** A form is followed once its box names one that is known. */
  private void checkElement(int at, Layout.Field field) {
    if (field.isText) {
      checkText(at);
    } else if (!field.isForm) {
      checkTable(at, field.table());
    }
  }

  /** UTF-8, with a 0 behind it. */
  private void checkText(int at) {
    int end = at + OFFSET_BYTES + count(at, 1);
    boolean isEnded = end < buffer.limit() && buffer.get(end) == 0;
    require(isEnded, "a string does not end with a zero byte");
    text(at);
  }

  /**
   * Scalars or structs: aligned, with whole numbers of 8 bytes within 2^53 - 1. Such numbers are the
   * first half of every struct, and have no sign there.
   */
  private void checkNumbers(int at, int count, int bytes) {
    require(count == 0 || at % Math.min(bytes, LONG_BYTES) == 0, "a number is not aligned");
    boolean isStruct = bytes > LONG_BYTES;
    int wholes = isStruct ? bytes / LONG_BYTES / 2 : bytes / LONG_BYTES;
    long least = isStruct ? 0 : -LARGEST;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < wholes; ++j) {
        long number = buffer.getLong(at + i * bytes + j * LONG_BYTES);
        require(
            least <= number && number <= LARGEST, "a number is outside -(2^53 - 1) to 2^53 - 1");
      }
    }
  }

  /** Checks the form in a box whose fields have been verified, and its number and name. */
  private void checkForm(Table box) {
    int typeAt = fieldAt(box, FORM_TYPE, 1);
    int number = typeAt == 0 ? 0 : Byte.toUnsignedInt(buffer.get(typeAt));
    String name = text(targetOf(box, FORM_NAME));
    Layout form = Layout.ofForm(number, name);
    if (form == null) {
      throw new PolicyException(Refusal.UNKNOWN_FORM, "unknown form `" + name + "`");
    }
    checkTable(targetOf(box, FORM), form);
  }

  /** Checks that the numbers of rules are known, and that each has the right name. */
  private void checkRules(Table ladder) {
    int at = targetOf(ladder, RULES);
    int namesAt = targetOf(ladder, RULE_NAMES);
    int count = buffer.getInt(at);
    require(
        count == buffer.getInt(namesAt),
        "`rules` and `rule_names` must have the same number of entries");
    for (int i = 0; i < count; ++i) {
      Rule rule = Rule.of(Byte.toUnsignedInt(buffer.get(at + OFFSET_BYTES + i)));
      String name = text(target(namesAt + OFFSET_BYTES * (i + 1)));
      if (rule == null || !rule.word().equals(name)) {
        throw new PolicyException(Refusal.UNKNOWN_RULE, "unknown rule `" + name + "`");
      }
    }
  }

  /** Rows that follow each other in the climbs, to the last one. */
  private void checkRows(Table ladder) {
    int at = targetOf(ladder, ROWS);
    long next = 0;
    for (int i = 0; i < buffer.getInt(at); ++i) {
      int row = at + OFFSET_BYTES + i * ROW_BYTES;
      require(
          word(row + FIRST_CLIMB_AT) == next,
          "climbs of successive rows are not consecutive in `climbs`");
      next += word(row + CLIMB_COUNT_AT);
    }
    require(next == word(targetOf(ladder, CLIMBS)), "the rows do not have all entries of `climbs`");
  }

  /** The table there, with its list of fields; both are within the buffer. */
  private Table start(int at) {
    long slots = (long) at - (int) word(at);
    boolean isThere = slots >= 0 && slots % SLOT_BYTES == 0 && slots <= buffer.limit() - HEAD_BYTES;
    require(isThere, "a table has an invalid list of fields");
    int slotsSize = half((int) slots);
    int size = half((int) slots + SLOT_BYTES);
    boolean isList = slotsSize >= HEAD_BYTES && slotsSize % SLOT_BYTES == 0;
    boolean isWhole = slots + slotsSize <= buffer.limit() && size <= buffer.limit() - at;
    require(isList && isWhole && size >= OFFSET_BYTES, "a table has an invalid list of fields");
    return new Table(at, size, (int) slots, slotsSize);
  }

  /** Offset of the field with that id and size in bytes; 0: it is absent. */
  private int fieldAt(Table table, int id, int bytes) {
    int slot = HEAD_BYTES + SLOT_BYTES * id;
    int offset = slot < table.slotsSize ? half(table.slots + slot) : 0;
    if (offset == 0) {
      return 0;
    }
    boolean isWithin = offset >= OFFSET_BYTES && offset + bytes <= table.size;
    require(isWithin, "a field is outside its table");
    return table.at + offset;
  }

  /** Where a field leads that has been verified to be there. */
  private int targetOf(Table table, int id) {
    return target(fieldAt(table, id, OFFSET_BYTES));
  }

  /** Target of the offset at that place. */
  private int target(int at) {
    require(at % OFFSET_BYTES == 0, "an offset is not aligned");
    long offset = word(at);
    require(offset > 0 && offset % OFFSET_BYTES == 0, "an offset has no valid target");
    within(at + offset, OFFSET_BYTES);
    return (int) (at + offset);
  }

  /** How many elements of a size the vector there has; all are in the buffer. */
  private int count(int at, int bytes) {
    long count = word(at);
    long spent = OFFSET_BYTES + count * bytes;
    within(at, spent);
    left -= spent;
    require(left >= 0, "vectors and strings are together larger than the FlatBuffer");
    return (int) count;
  }

  private String text(int at) {
    int begin = at + OFFSET_BYTES;
    ByteBuffer text = buffer.duplicate();
    text.limit(begin + buffer.getInt(at)).position(begin);
    try {
      return utf8.decode(text).toString();
    } catch (CharacterCodingException broken) {
      throw new PolicyException(Refusal.BAD_STRUCTURE, "a string is not UTF-8");
    }
  }

  private long word(int at) {
    within(at, OFFSET_BYTES);
    return Integer.toUnsignedLong(buffer.getInt(at));
  }

  private int half(int at) {
    return Short.toUnsignedInt(buffer.getShort(at));
  }

  private void within(long at, long bytes) {
    require(at + bytes <= buffer.limit(), "an offset points beyond the end of the FlatBuffer");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new PolicyException(Refusal.BAD_STRUCTURE, otherwise);
    }
  }
}
