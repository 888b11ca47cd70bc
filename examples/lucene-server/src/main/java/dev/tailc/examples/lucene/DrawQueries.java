package dev.tailc.examples.lucene;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.store.FSDirectory;

/**
 * Draws queries, a line each: the words from some passage on, seldom many of them. So most ask for
 * a few words, and some for what is like a whole page.
 */
final class DrawQueries {
  private static final Pattern NO_WORD = Pattern.compile("[^A-Za-z0-9]+");
  private static final int MOST_WORDS = 128;

  private DrawQueries() {}

  static void run(Arguments arguments) throws IOException {
    int wanted = arguments.count("queries", 1_000);
    Random random = new Random(arguments.seed());
    Path path = Path.of(arguments.text("index"));
    try (DirectoryReader index = DirectoryReader.open(FSDirectory.open(path))) {
      Set<String> drawn = new LinkedHashSet<>();
      // Small texts have few different ones.
      for (int tried = 0; drawn.size() < wanted && tried < 100 * wanted; ++tried) {
        String query = draw(index.storedFields(), index.maxDoc(), random);
        if (!query.isEmpty()) {
          drawn.add(query);
        }
      }
      if (drawn.size() < wanted) {
        throw new UsageException("the text has no `" + wanted + "` queries");
      }
      Files.write(Path.of(arguments.text("out")), drawn);
    }
  }

  private static String draw(StoredFields stored, int passages, Random random) throws IOException {
    // Log-uniform from 1 on.
    int length = (int) Math.pow(MOST_WORDS + 1, random.nextDouble());
    List<String> words = new ArrayList<>();
    int first = random.nextInt(passages);
    for (int at = first; at < passages && words.size() < length; ++at) {
      NO_WORD
          .splitAsStream(stored.document(at).get(BuildIndex.TEXT))
          .filter(word -> !word.isEmpty())
          .forEach(words::add);
    }
    return String.join(" ", words.subList(0, Math.min(length, words.size())));
  }
}
