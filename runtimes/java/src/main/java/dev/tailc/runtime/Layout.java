package dev.tailc.runtime;

import dev.tailc.policy.Layouts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A table of schemas/policy.fbs: the type of each field, written by schemas/layout.py. */
final class Layout {
  private static final Map<String, Layout> BY_NAME = new HashMap<>();

  static {
    for (String text : Layouts.TABLES) {
      BY_NAME.put(text.substring(0, text.indexOf(' ')), new Layout(text));
    }
  }

  /** {@code bytes} of one that is a scalar or a struct, else 0. */
  static final class Field {
    final boolean isRequired;
    final boolean isVector;
    final boolean isText;
    final boolean isForm;
    final int bytes;
    private final String table;

    Field(String text) {
      isRequired = text.endsWith("!");
      isVector = text.startsWith("[");
      table = text.replaceAll("[\\[\\]!]", "");
      isText = table.equals("text");
      isForm = table.equals("Form");
      bytes = Character.isDigit(table.charAt(0)) ? Integer.parseInt(table) : 0;
    }

    Layout table() {
      return BY_NAME.get(table);
    }

    int bytesInTable() {
      return bytes > 0 && !isVector ? bytes : Structure.OFFSET_BYTES;
    }
  }

  final String name;
  final List<Field> fields = new ArrayList<>();

  private Layout(String text) {
    String[] words = text.split(" ");
    name = words[0];
    for (int i = 1; i < words.length; ++i) {
      fields.add(new Field(words[i]));
    }
  }

  static Layout of(String table) {
    return BY_NAME.get(table);
  }

  /** Of the form with that number and name; null: it is not known here. */
  static Layout ofForm(int number, String name) {
    boolean isNumber = 0 < number && number <= Layouts.FORMS.length;
    String[] words = isNumber ? Layouts.FORMS[number - 1].split(" ") : new String[] {"", ""};
    return words[0].equals(name) ? of(words[1]) : null;
  }
}
