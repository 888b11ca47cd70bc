package dev.tailc.examples.lucene;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Queries by number, from 0 on: the lines of a file, of which every so-many-th may be left out. */
final class Queries {
  private final List<Integer> numbers = new ArrayList<>();
  private final List<String> texts;
  private final String server;

  /** Of {@code --queries} those that {@code --part} says: {@code all}, {@code even}, {@code odd}. */
  Queries(Arguments arguments) throws IOException {
    server = arguments.text("url");
    texts = Files.readAllLines(Path.of(arguments.text("queries")));
    String part = arguments.optional("part").orElse("all");
    if (!List.of("all", "even", "odd").contains(part)) {
      throw new UsageException("`--part " + part + "` is not `all`, `even` or `odd`");
    }
    for (int number = 0; number < texts.size(); ++number) {
      boolean isEven = number % 2 == 0;
      if (part.equals("all") || part.equals("even") == isEven) {
        numbers.add(number);
      }
    }
    if (numbers.isEmpty()) {
      throw new UsageException("there is no query in `" + arguments.text("queries") + "`");
    }
  }

  List<Integer> numbers() {
    return numbers;
  }

  URI stats() {
    return URI.create(server + "/stats");
  }

  /** Where the server answers a query; {@code requestClass}: that of the request, or null. */
  URI uri(int number, String requestClass) {
    String encoded = URLEncoder.encode(texts.get(number), StandardCharsets.UTF_8);
    String its = requestClass == null ? "" : "&class=" + requestClass;
    return URI.create(server + "/search?q=" + encoded + its);
  }
}
