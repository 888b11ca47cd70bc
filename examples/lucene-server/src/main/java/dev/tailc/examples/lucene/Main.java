package dev.tailc.examples.lucene;

import dev.tailc.runtime.PolicyException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;

/** The commands of this example: a word, then options. */
public final class Main {
  private interface Command {
    void run(Arguments arguments) throws IOException, InterruptedException;
  }

  private static final Map<String, Command> COMMANDS =
      Map.of(
          "index", BuildIndex::run,
          "queries", DrawQueries::run,
          "serve", Server::run,
          "profile", Profile::run,
          "load", Load::run);

  private Main() {}

  public static void main(String[] words) throws InterruptedException {
    try {
      Command command = words.length == 0 ? null : COMMANDS.get(words[0]);
      if (command == null) {
        throw new UsageException("the commands are `index`, `queries`, `serve`, `profile`, `load`");
      }
      command.run(new Arguments(Arrays.copyOfRange(words, 1, words.length)));
    } catch (UsageException | IOException | PolicyException wrong) {
      System.err.println("error: " + wrong.getMessage());
      System.exit(1);
    }
  }
}
