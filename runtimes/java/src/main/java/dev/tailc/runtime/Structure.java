package dev.tailc.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Follows every offset of a FlatBuffer, as the library's verifiers do in other languages:
 * afterwards its accessors read nothing but what is there.
 */
final class Structure {
  private static final int OFFSET_BYTES = 4;
  private static final int FIRST_SLOT = 4;
  private static final int SLOT_BYTES = 2;
  private static final int LARGEST_ALIGNMENT = 8;
  private static final int FORMS = 8;

  private final ByteBuffer buffer;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
  // Vectors and texts share no bytes, so no more of them is followed than the buffer has.
  private long left;

  /** {@code buffer}: little endian, and from 0 on. */
  Structure(ByteBuffer buffer) {
    this.buffer = buffer;
    this.left = buffer.limit();
  }

  void checkWhole() {
    table(root(), Layout.of("Policy"));
  }

  /** The version alone, whatever else another one lays out. */
  void checkVersion() {
    int root = root();
    for (int id = 0; id < 2; ++id) {
      int at = field(root, id);
      if (at > 0) {
        within(at, SLOT_BYTES);
      }
    }
  }

  /** The forms alone. */
  void checkForms() {
    int at = field(root(), FORMS);
    require(at > 0);
    vector(target(at), Layout.of("Policy").fields.get(FORMS));
  }

  private int root() {
    int root = target(0);
    start(root);
    return root;
  }

  private void table(int table, Layout layout) {
    start(table);
    for (int id = 0; id < layout.fields.size(); ++id) {
      Layout.Field field = layout.fields.get(id);
      int at = field(table, id);
      if (at == 0) {
        require(!field.isRequired);
      } else if (field.isForm) {
        form(table, target(at));
      } else {
        value(at, field);
      }
    }
  }

  private void value(int at, Layout.Field field) {
    if (field.isVector) {
      vector(target(at), field);
    } else if (field.bytes > 0) {
      within(at, field.bytes);
    } else {
      element(target(at), field);
    }
  }

  private void vector(int at, Layout.Field field) {
    int bytes = field.bytes > 0 ? field.bytes : OFFSET_BYTES;
    int length = spend(at, bytes);
    if (field.bytes > 0) {
      require(length == 0 || (at + OFFSET_BYTES) % Math.min(bytes, LARGEST_ALIGNMENT) == 0);
      return;
    }
    for (int i = 0; i < length; ++i) {
      element(target(at + OFFSET_BYTES + i * OFFSET_BYTES), field);
    }
  }

  private void element(int at, Layout.Field field) {
    if (field.isText) {
      text(at);
    } else {
      table(at, field.table());
    }
  }

  /** One that is not known here is named by its box, and not looked into. */
  private void form(int box, int at) {
    int type = field(box, 0);
    int number = type > 0 ? Byte.toUnsignedInt(buffer.get(type)) : 0;
    if (Layout.isForm(number)) {
      table(at, Layout.ofForm(number));
    }
  }

  /** UTF-8, and a 0 behind it. */
  private void text(int at) {
    int length = spend(at, 1);
    int begin = at + OFFSET_BYTES;
    require(begin + length < buffer.limit() && buffer.get(begin + length) == 0);
    ByteBuffer text = buffer.duplicate();
    text.limit(begin + length).position(begin);
    try {
      utf8.decode(text);
    } catch (CharacterCodingException broken) {
      require(false);
    }
  }

  /** The length of the vector there, all of which is within the buffer. */
  private int spend(int at, int bytes) {
    within(at, OFFSET_BYTES);
    long length = Integer.toUnsignedLong(buffer.getInt(at));
    require(length * bytes <= buffer.limit() - OFFSET_BYTES - at);
    left -= OFFSET_BYTES + length * bytes;
    require(left >= 0);
    return (int) length;
  }

  /** A table's list of fields is there. */
  private void start(int table) {
    within(table, OFFSET_BYTES);
    long fields = (long) table - buffer.getInt(table);
    require(fields >= 0 && fields % SLOT_BYTES == 0 && fields <= buffer.limit() - SLOT_BYTES);
    int bytes = Short.toUnsignedInt(buffer.getShort((int) fields));
    require(bytes % SLOT_BYTES == 0 && fields + bytes <= buffer.limit());
  }

  /** Where the field of a table begins; 0: it is absent. */
  private int field(int table, int id) {
    int fields = table - buffer.getInt(table);
    int slot = FIRST_SLOT + SLOT_BYTES * id;
    if (slot >= Short.toUnsignedInt(buffer.getShort(fields))) {
      return 0;
    }
    int offset = Short.toUnsignedInt(buffer.getShort(fields + slot));
    return offset == 0 ? 0 : table + offset;
  }

  /** What the offset at a place leads to. */
  private int target(int at) {
    within(at, OFFSET_BYTES);
    long offset = Integer.toUnsignedLong(buffer.getInt(at));
    require(offset > 0 && at + offset < buffer.limit());
    return (int) (at + offset);
  }

  private void within(int at, int bytes) {
    require(at % bytes == 0 && at <= buffer.limit() - bytes);
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new PolicyException(Refusal.BAD_STRUCTURE, "the FlatBuffer is broken");
    }
  }
}
