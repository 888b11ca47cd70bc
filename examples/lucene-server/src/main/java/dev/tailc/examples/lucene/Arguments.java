package dev.tailc.examples.lucene;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Words of a command line, {@code --name value} each. */
final class Arguments {
  private final Map<String, String> values = new HashMap<>();

  Arguments(String[] words) {
    for (int at = 0; at < words.length; at += 2) {
      if (!words[at].startsWith("--") || at + 1 == words.length) {
        throw new UsageException("`" + words[at] + "` is not an option with a value");
      }
      values.put(words[at].substring(2), words[at + 1]);
    }
  }

  Optional<String> optional(String name) {
    return Optional.ofNullable(values.get(name));
  }

  String text(String name) {
    return optional(name).orElseThrow(() -> new UsageException("`--" + name + "` is missing"));
  }

  int count(String name, int otherwise) {
    int found = optional(name).map(number(name, Integer::parseInt)).orElse(otherwise);
    checkPositive(name, found);
    return found;
  }

  long seed() {
    return optional("seed").map(number("seed", Long::parseLong)).orElse(1L);
  }

  double amount(String name) {
    double found = number(name, Double::parseDouble).apply(text(name));
    checkPositive(name, found);
    return found;
  }

  private static void checkPositive(String name, double found) {
    if (!(found > 0) || Double.isInfinite(found)) {
      throw new UsageException("`--" + name + " " + found + "` is not above 0");
    }
  }

  private static <T> Function<String, T> number(String name, Function<String, T> parse) {
    return word -> {
      try {
        return parse.apply(word);
      } catch (NumberFormatException wrong) {
        throw new UsageException("`--" + name + " " + word + "` is not a number");
      }
    };
  }
}
