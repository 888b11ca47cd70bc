package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The calls of a plan, answered as they are written in vector files. */
final class PlanVectors {
  private PlanVectors() {}

  /** Sequences of calls, each with the plan from the beginning. */
  static Vectors.Asked calls(Path path) throws IOException {
    Plan[] held = new Plan[1];
    String[] sequence = {null};
    return row -> {
      if (!row.text("sequence").equals(sequence[0])) {
        held[0] = Policy.open(path).plan();
        sequence[0] = row.text("sequence");
      }
      return new String[] {
        answered(held[0], row),
        String.join(
            "|",
            row.text("answer"),
            row.text("pays_udollars"),
            row.text("worth_udollars"),
            row.text("green_slots"),
            row.text("places"))
      };
    };
  }

  private static String answered(Plan plan, VectorFile.Row row) {
    switch (row.text("call")) {
      case "epoch":
        OptionalInt epoch = plan.epochAt(row.whole("unix_s"));
        return only(epoch.isPresent() ? Integer.toString(epoch.getAsInt()) : "");
      case "source":
        return only(
            plan.source((int) row.whole("pool"), row.whole("unix_s"))
                .map(bus -> bus.name().toLowerCase())
                .orElse(""));
      case "stored":
        return only(
            plan.stored(row.whole("unix_s"))
                .map(stored -> stored.batteryMj + ":" + stored.storedMj)
                .orElse(""));
      case "about":
        String gridMw = plan.gridMw().isPresent() ? Long.toString(plan.gridMw().getAsLong()) : "";
        return only(gridMw + ":" + plan.laterJobs().orElse(""));
      case "allocation":
        return plan.allocation(row.text("job"), row.whole("unix_s"))
            .map(held -> "told||||" + textOf(held))
            .orElse(only(""));
      case "width":
        return cheapestWidth(plan, row);
      case "release":
        plan.release(row.text("job"), row.whole("first_epoch"));
        return only("released");
      case "take":
        return plan.take(
                row.text("job"),
                row.whole("first_epoch"),
                row.whole("epochs"),
                row.whole("width"))
            .map(places -> "taken||||" + textOf(places))
            .orElse(only("no-room"));
      default:
        return quoted(plan, row);
    }
  }

  private static String quoted(Plan plan, VectorFile.Row row) {
    long first = row.whole("first_epoch");
    long epochs = row.whole("epochs");
    long width = row.whole("width");
    long greenPpm = row.whole("green_ppm");
    Quote told =
        row.text("call").equals("admit")
            ? plan.admit(row.text("job"), first, epochs, width, greenPpm)
            : plan.quote(first, epochs, width, greenPpm);
    String refused = told.places().isPresent() ? "refused" : "no-room";
    return String.join(
        "|",
        told.isAdmitted() ? "admitted" : refused,
        Long.toString(told.paysUdollars),
        Long.toString(told.worthUdollars),
        Long.toString(told.greenSlots),
        told.places().map(PlanVectors::textOf).orElse(""));
  }

  private static String cheapestWidth(Plan plan, VectorFile.Row row) {
    Map<Long, Long> epochsOf = new HashMap<>();
    for (String pair : row.words("widths")) {
      epochsOf.put(Long.valueOf(pair.split(":")[0]), Long.valueOf(pair.split(":")[1]));
    }
    OptionalLong width = plan.cheapestWidth(row.whole("first_epoch"), epochsOf);
    return only(width.isPresent() ? Long.toString(width.getAsLong()) : "");
  }

  private static String only(String answer) {
    return answer + "||||";
  }

  private static String textOf(Map<Integer, Long> held) {
    return held.entrySet().stream()
        .map(one -> one.getKey() + ":" + one.getValue())
        .collect(Collectors.joining(" "));
  }

  private static String textOf(List<Span> spans) {
    return spans.stream()
        .map(one -> one.firstEpoch + ":" + one.pool + ":" + one.epochs + ":" + one.servers)
        .collect(Collectors.joining(" "));
  }
}
