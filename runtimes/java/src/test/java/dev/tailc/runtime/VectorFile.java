package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Vector files: sentences that begin with #, a header, and lines of fields between commas. */
final class VectorFile {
  static final class Row {
    private final Map<String, String> fields = new LinkedHashMap<>();

    boolean has(String column) {
      return fields.containsKey(column);
    }

    String text(String column) {
      if (!has(column)) {
        throw new IllegalArgumentException("no column `" + column + "`");
      }
      return fields.get(column);
    }

    /** Columns between blanks. */
    String texts(String... columns) {
      List<String> found = new ArrayList<>();
      for (String column : columns) {
        found.add(text(column));
      }
      return String.join(" ", found);
    }

    long whole(String column) {
      return Long.parseLong(text(column));
    }

    long[] wholes(String column) {
      return words(column).stream().mapToLong(Long::parseLong).toArray();
    }

    /** The shortest text of a double reads back to the same double. */
    double[] doubles(String column) {
      return words(column).stream().mapToDouble(Double::parseDouble).toArray();
    }

    List<String> words(String column) {
      String text = text(column).strip();
      return text.isEmpty() ? List.of() : List.of(text.split("\\s+"));
    }

    @Override
    public String toString() {
      return fields.toString();
    }
  }

  private VectorFile() {}

  static List<Row> rowsOf(Path path) throws IOException {
    List<Row> rows = new ArrayList<>();
    String[] header = null;
    for (String line : Files.readAllLines(path)) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] fields = line.split(",", -1);
      if (header == null) {
        header = fields;
      } else if (fields.length != header.length) {
        throw new IOException(path + ": " + line);
      } else {
        rows.add(rowOf(header, fields));
      }
    }
    return rows;
  }

  private static Row rowOf(String[] header, String[] fields) {
    Row row = new Row();
    for (int i = 0; i < fields.length; ++i) {
      row.fields.put(header[i], fields[i]);
    }
    return row;
  }
}
