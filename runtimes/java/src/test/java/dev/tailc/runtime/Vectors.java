package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs every look-up vector: {@code Vectors DIR}. Prints the first difference of each file, and how
 * many answers there were; exits 0 if all are right.
 */
final class Vectors {
  /** What a row is answered with, and what is wanted, both as texts. */
  interface Asked {
    String[] answer(VectorFile.Row row) throws IOException;
  }

  private interface Opener {
    Asked open(Path policy) throws IOException;
  }

  private int answers;
  private int wrong;

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("usage: Vectors DIR");
      System.exit(64);
    }
    Vectors vectors = new Vectors();
    vectors.runAll(Path.of(arguments[0]));
    System.out.println(vectors.answers + " answers, " + vectors.wrong + " wrong");
    System.exit(vectors.wrong > 0 || vectors.answers == 0 ? 1 : 0);
  }

  private void runAll(Path folder) throws IOException {
    runRefusals(folder.resolve("refused"));
    runSigned(folder.resolve("signed"));
    runFolder(folder, "", FormVectors::lookups);
    runFolder(folder, "levels", FormVectors::levels);
    runFolder(folder, "steps", FormVectors::steps);
    runFolder(folder, "shares", FormVectors::ticks);
    runFolder(folder, "plans", PlanVectors::calls);
    runFolder(folder, "overload", FormVectors::overloads);
    runFolder(folder, "sharing", FormVectors::sharings);
    runFolder(folder, "settings", FormVectors::settings);
    runFolder(folder, "schedules", ScheduleVectors::events);
    runFolder(folder, "budgets", FormVectors::budgets);
  }

  private void runFolder(Path folder, String name, Opener opener) throws IOException {
    for (Path file : filesIn(folder.resolve(name))) {
      String policy = file.getFileName().toString().replace(".csv", ".tailc");
      run(file, VectorFile.rowsOf(file), opener.open(folder.resolve(policy)));
    }
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".csv"))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  /** The first row of a file that is wrong is printed. */
  private void run(Path file, List<VectorFile.Row> rows, Asked asked) throws IOException {
    boolean isRight = true;
    for (VectorFile.Row row : rows) {
      String[] answer = asked.answer(row);
      ++answers;
      if (answer[0].equals(answer[1])) {
        continue;
      }
      ++wrong;
      if (isRight) {
        System.out.println(
            file + ": " + row + ": is `" + answer[0] + "`, wanted `" + answer[1] + "`");
      }
      isRight = false;
    }
  }

  /** Of files in the encoding that is read here; canonical JSON is not. */
  private void runRefusals(Path folder) throws IOException {
    Path list = folder.resolve("expected.csv");
    List<VectorFile.Row> rows = new ArrayList<>();
    for (VectorFile.Row row : VectorFile.rowsOf(list)) {
      if (row.text("file").endsWith(".tailc")) {
        rows.add(row);
      }
    }
    run(
        list,
        rows,
        row ->
            new String[] {
              openedAs(folder.resolve(row.text("file")), Options.none()), row.text("error")
            });
  }

  private void runSigned(Path folder) throws IOException {
    Path list = folder.resolve("expected.csv");
    if (Files.exists(list)) {
      run(
          list,
          VectorFile.rowsOf(list),
          row ->
              new String[] {
                openedAs(folder.resolve(row.text("file")), optionsOf(folder, row)),
                row.text("error")
              });
    }
  }

  private static Options optionsOf(Path folder, VectorFile.Row row) throws IOException {
    Options options = Options.none();
    for (String key : row.words("keys")) {
      options = options.trusting(Files.readString(folder.resolve(key)));
    }
    if (!row.text("now_s").isEmpty()) {
      options = options.now(row.whole("now_s"));
    }
    if (!row.text("service").isEmpty()) {
      options = options.service(row.text("service"));
    }
    if (!row.text("held_generation").isEmpty()) {
      options = options.heldGeneration(row.whole("held_generation"));
    }
    return options;
  }

  /** The word of its refusal; empty: it is opened. */
  private static String openedAs(Path path, Options options) throws IOException {
    try {
      Policy.open(path, options);
      return "";
    } catch (PolicyException refused) {
      return refused.refusal().word();
    }
  }
}
