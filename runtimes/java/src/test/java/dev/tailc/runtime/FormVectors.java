package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Vectors of ladders, tail tables, controllers and shares. */
final class FormVectors {
  private FormVectors() {}

  static Vectors.Asked lookups(Path path) throws IOException {
    Policy policy = Policy.open(path);
    Answer answer = new Answer();
    return row -> {
      String name = row.text("request_class");
      Ladder ladder = name.isEmpty() ? policy.ladder() : policy.ladder(name);
      long load = row.whole("load");
      long waitedUs = row.whole("waited_us");
      long executedUs = row.whole("executed_us");
      if (row.has("output_ppm")) {
        ladder.lookupScaled(load, waitedUs, executedUs, row.whole("output_ppm"), answer);
      } else {
        ladder.lookup(load, waitedUs, executedUs, answer);
      }
      String got = answer.start().word() + " " + answer.waitUs() + " " + answer.rung();
      return new String[] {got, row.texts("start", "wait_us", "rung")};
    };
  }

  static Vectors.Asked overloads(Path path) throws IOException {
    Policy policy = Policy.open(path);
    return row -> {
      String name = row.text("request_class");
      Overload told = (name.isEmpty() ? policy.ladder() : policy.ladder(name)).overload();
      long inSystem = row.whole("in_system");
      boolean isCut = told.cutsOff(row.whole("waited_us"), row.whole("executed_us"));
      String got =
          (told.refuses(inSystem) ? 1 : 0)
              + (" " + told.workPpm(inSystem) + " ")
              + (isCut ? 1 : 0);
      return new String[] {got, row.texts("refused", "work_ppm", "cut_off")};
    };
  }

  static Vectors.Asked sharings(Path path) throws IOException {
    Policy policy = Policy.open(path);
    return row -> {
      String name = row.text("request_class");
      Sharing told = (name.isEmpty() ? policy.ladder() : policy.ladder(name)).sharing();
      boolean starts = told.starts(row.whole("in_use_ppm"));
      boolean givesUp = told.givesUp(row.whole("waited_us"), row.whole("executed_us"));
      String unit = told.startUnit().isPresent() ? "" + told.startUnit().getAsLong() : "";
      String got = unit + (starts ? " 1 " : " 0 ") + (givesUp ? 1 : 0);
      return new String[] {got, row.texts("start_unit", "starts", "gives_up")};
    };
  }

  static Vectors.Asked settings(Path path) throws IOException {
    Policy policy = Policy.open(path);
    return row -> {
      String name = row.text("request_class");
      Ladder ladder = name.isEmpty() ? policy.ladder() : policy.ladder(name);
      RungSetting rung = ladder.settings().get((int) row.whole("rung"));
      List<String> costs = new ArrayList<>();
      rung.costPpm.forEach(cost -> costs.add(cost.toString()));
      String got =
          String.join(
              " ",
              Long.toString(rung.speedPpm),
              String.join(" ", costs),
              text(rung.moveUs),
              text(rung.threads),
              text(rung.frequencyKhz),
              rung.coreType.orElse(""),
              rung.lane.map(Lane::word).orElse(""),
              text(rung.oneThreadPpm));
      String wanted =
          row.texts(
              "speed_ppm",
              "cost_ppm",
              "move_us",
              "threads",
              "frequency_khz",
              "core_type",
              "lane",
              "one_thread_ppm");
      return new String[] {got, wanted};
    };
  }

  private static String text(OptionalLong number) {
    return number.isPresent() ? Long.toString(number.getAsLong()) : "";
  }

  static Vectors.Asked levels(Path path) throws IOException {
    TailTable table = Policy.open(path).tailTable();
    return row -> {
      long[] agesNs = row.wholes("ages_ns");
      int level =
          table.levelScaled(
              agesNs,
              agesNs.length,
              row.whole("elapsed_cycles"),
              row.whole("elapsed_memory_ns"),
              row.whole("output_ppm"));
      String got = level + " " + table.frequencyKhz(level);
      return new String[] {got, row.texts("level", "frequency_khz")};
    };
  }

  static Vectors.Asked budgets(Path path) throws IOException {
    BudgetTable table = Policy.open(path).budgetTable();
    Budget budget = new Budget();
    return row -> {
      table.lookup(row.whole("decoding"), row.whole("waiting_tokens"), budget);
      String got = budget.tokens() + " " + budget.newSequences();
      return new String[] {got, row.texts("budget", "new_sequences")};
    };
  }

  /** Sequences of steps; each begins with step 0, before anything is measured. */
  static Vectors.Asked steps(Path path) {
    Policy[] held = new Policy[1];
    return row -> {
      if (row.text("step").equals("0")) {
        held[0] = Policy.open(path);
      } else {
        Controller controller = held[0].controller().orElseThrow();
        controller.step(row.whole("measured_us"), row.whole("rate_mrps"));
      }
      boolean isLadder = row.has("climbs");
      String decided = isLadder ? climbs(held[0].ladder(), row) : level(held[0].tailTable(), row);
      Controller controller = held[0].controller().orElseThrow();
      return new String[] {
        controller.output() + " " + controller.outputPpm() + " " + decided,
        row.texts("output", "output_ppm", isLadder ? "climbs" : "level")
      };
    };
  }

  private static String level(TailTable table, VectorFile.Row row) {
    long[] agesNs = row.wholes("ages_ns");
    return Integer.toString(table.level(agesNs, agesNs.length, 0, 0));
  }

  /** Of the climbs in a row those that look-ups show. */
  private static String climbs(Ladder ladder, VectorFile.Row row) {
    long load = row.whole("load");
    long before = -1;
    List<String> found = new ArrayList<>();
    for (String climb : row.words("climbs")) {
      long ageUs = Long.parseLong(climb.split(":")[0]);
      long rung = Long.parseLong(climb.split(":")[1]);
      boolean isNew = ageUs == 0 || ladder.rung(load, 0, ageUs - 1) == before;
      if (isNew && ladder.rung(load, 0, ageUs) == rung) {
        found.add(climb);
      }
      before = rung;
    }
    return String.join(" ", found);
  }

  static Vectors.Asked ticks(Path path) {
    Shares[] held = new Shares[1];
    return row -> {
      if (row.text("tick").equals("0")) {
        held[0] = Policy.open(path).shares();
      } else {
        long[] waiting = row.wholes("waiting");
        if (waiting.length > 0) {
          held[0].tick(row.doubles("throughput"), waiting);
        } else {
          held[0].tick(row.doubles("throughput"));
        }
      }
      return new String[] {stateOf(held[0]), stateIn(row)};
    };
  }

  /** Doubles by their bits. */
  private static String stateOf(Shares shares) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < shares.machines().size(); ++i) {
      text.append(shares.grantedPpm(i)).append(' ');
    }
    shares.served().forEach(one -> text.append(bits(one.a())));
    shares.served().forEach(one -> text.append(bits(one.b())));
    shares.served().forEach(one -> text.append(bits(one.believedA())));
    shares.served().forEach(one -> text.append(bits(one.believedB())));
    shares.served().forEach(one -> text.append(one.shortSteps()).append(' '));
    shares.served().forEach(one -> text.append(one.capPpm()).append(' '));
    for (int i = 0; i < shares.served().size(); ++i) {
      text.append(shares.cannotMeet(i) ? 1 : 0).append(' ');
    }
    return text.toString();
  }

  private static String stateIn(VectorFile.Row row) {
    StringBuilder text = new StringBuilder();
    for (long ppm : row.wholes("granted_ppm")) {
      text.append(ppm).append(' ');
    }
    for (String column : List.of("a", "b", "believed_a", "believed_b")) {
      for (double value : row.doubles(column)) {
        text.append(bits(value));
      }
    }
    for (String column : List.of("short_steps", "cap_ppm", "cannot_meet")) {
      for (long number : row.wholes(column)) {
        text.append(number).append(' ');
      }
    }
    return text.toString();
  }

  private static String bits(double value) {
    return Long.toHexString(Double.doubleToRawLongBits(value)) + " ";
  }
}
