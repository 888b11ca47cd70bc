package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A table of schemas/policy.fbs: of each field, in the order of ids, what lies there. */
final class Layout {
  /**
   * Tables and their fields. A number is that of the bytes of a scalar or a struct, brackets are a
   * vector, and what has {@code !} must be there.
   */
  private static final String[] TABLES = {
    "CostUnit text! 8",
    "Rung text! 8 [8]! 8",
    "Power 8 [8]!",
    "Guard 8 8 1",
    "Boost 8 8",
    "Overload 8 8 8 8",
    "Sharing 8 8 8",
    "Ladder 1 text [CostUnit]! [Rung]! [1]! [text]! 8 [32]! [16]! Guard! Boost Power"
        + " Overload Sharing",
    "GainRow 8 8 8 8",
    "Controller 1 8 8 8 8 8 8 8 8 [GainRow]!",
    "Level 8 8",
    "TailRow 8 [8]!",
    "Sleep 8 8",
    "Batch 8 8 8",
    "TailTable 8 8 [Level]! [TailRow]! [TailRow]! Sleep! 8 Batch 8",
    "Machine text! 8 8 8",
    "Shares 1 8 8 8 8 8 8 8 8 8 8 8 8 [Machine]!",
    "Pool text! 8 8 8 8 8",
    "Epoch 8 8 8 8 8",
    "Span 8 8 8 8",
    "PlannedJob text! [Span]! 8",
    "PoolPrices [8]!",
    "Terms 8 8 8",
    "Malleable 8 8",
    "Battery 8 8 8 8 8",
    "Plan 8 8 [Pool]! [Epoch]! [PlannedJob]! [PoolPrices]! Terms Malleable 8 Battery",
    "FormBox 1 Form! text!",
    "Slo 8 8 8 8 text 1",
    "DemandSummary 8 [8]!",
    "Input 1 text! 8 8 DemandSummary",
    "SplitRule 1 8 text 8",
    "Timings text! text! text!",
    "Curve text [8]!",
    "TextPair text! text!",
    "NumberPair text! 8",
    "Reading 1 text! 1 text Timings text text [text]! [Curve]! [TextPair]! 8 SplitRule text 8 text"
        + " 8 text text text",
    "RowEvidence 8 8 8 8 8 8 8 8 8",
    "ByHand text! 8 8 8 8",
    "RateEstimate 8 text! 8 8 8 8 1 ByHand",
    "Estimates 1 8 8 8 8 [RateEstimate]!",
    "Evidence text! text! text! text! [TextPair]! 8 [NumberPair]! [RowEvidence]! Estimates",
    "Policy 2 2 text! text! text! 8 [Slo]! [8]! [FormBox]! [Input]! Reading! Evidence!",
  };

  /** Members of the union by number; 0 is none. */
  private static final String[] FORMS = {
    "", "Ladder", "Controller", "TailTable", "Shares", "Plan",
  };

  private static final Map<String, Layout> BY_NAME = new HashMap<>();

  static {
    for (String text : TABLES) {
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
  }

  final List<Field> fields = new ArrayList<>();

  private Layout(String text) {
    String[] words = text.split(" ");
    for (int i = 1; i < words.length; ++i) {
      fields.add(new Field(words[i]));
    }
  }

  static Layout of(String table) {
    return BY_NAME.get(table);
  }

  static boolean isForm(int number) {
    return 0 < number && number < FORMS.length;
  }

  /** Of a form that is known here. */
  static Layout ofForm(int number) {
    return of(FORMS[number]);
  }
}
