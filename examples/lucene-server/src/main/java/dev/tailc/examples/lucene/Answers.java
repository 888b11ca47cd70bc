package dev.tailc.examples.lucene;

import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;

/** What was found, as JSON. */
final class Answers {
  private static final Set<String> SHOWN = Set.of(BuildIndex.FILE, BuildIndex.LINE);

  private final SlicedSearcher searcher;

  Answers(SlicedSearcher searcher) {
    this.searcher = searcher;
  }

  String found(TopDocs found) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("{\"matches\": ").append(found.totalHits.value).append(", \"passages\": [");
    StoredFields stored = searcher.storedFields();
    String separator = "";
    for (ScoreDoc best : found.scoreDocs) {
      Document document = stored.document(best.doc, SHOWN);
      text.append(separator).append("{\"file\": ").append(quoted(document.get(BuildIndex.FILE)));
      text.append(", \"line\": ").append(document.getField(BuildIndex.LINE).numericValue());
      text.append(String.format(Locale.ROOT, ", \"score\": %.4f}", best.score));
      separator = ", ";
    }
    return text.append("]}\n").toString();
  }

  static String error(String message) {
    return "{\"error\": " + quoted(message) + "}\n";
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char character : text.toCharArray()) {
      if (character < ' ') {
        quoted.append(String.format("\\u%04x", (int) character));
      } else {
        quoted.append(character == '"' || character == '\\' ? "\\" : "").append(character);
      }
    }
    return quoted.append('"').toString();
  }
}
