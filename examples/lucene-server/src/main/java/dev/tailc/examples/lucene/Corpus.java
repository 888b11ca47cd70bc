package dev.tailc.examples.lucene;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A folder of text, in files or in archives, as passages of a few lines in a fixed order. */
final class Corpus {
  private static final int LINES_A_PASSAGE = 5;

  /** Lines of one file, by the number of the first, counted from 1. */
  record Passage(String file, int line, String text) {}

  /** What is done with each passage. */
  interface Reader {
    /** Whether to go on. */
    boolean read(Passage passage) throws IOException;
  }

  private final Path folder;

  Corpus(Path folder) {
    this.folder = folder;
  }

  /** Every passage, until the reader has enough. */
  void each(Reader reader) throws IOException {
    for (Path file : files()) {
      boolean goesOn = isArchive(file) ? inArchive(file, reader) : inFile(file, reader);
      if (!goesOn) {
        return;
      }
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static boolean isArchive(Path file) {
    String name = file.toString();
    return name.endsWith(".jar") || name.endsWith(".zip");
  }

  private boolean inFile(Path file, Reader reader) throws IOException {
    return split(folder.relativize(file).toString(), Files.readAllBytes(file), reader);
  }

  private static boolean inArchive(Path file, Reader reader) throws IOException {
    try (ZipFile archive = new ZipFile(file.toFile())) {
      List<ZipEntry> entries = new ArrayList<>(archive.stream().map(ZipEntry.class::cast).toList());
      entries.sort((a, b) -> a.getName().compareTo(b.getName()));
      for (ZipEntry entry : entries) {
        try (InputStream content = archive.getInputStream(entry)) {
          if (!split(entry.getName(), content.readAllBytes(), reader)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static boolean split(String file, byte[] bytes, Reader reader) throws IOException {
    List<String> lines = textOf(bytes).map(text -> text.lines().toList()).orElse(List.of());
    for (int first = 0; first < lines.size(); first += LINES_A_PASSAGE) {
      int end = Math.min(first + LINES_A_PASSAGE, lines.size());
      String text = String.join("\n", lines.subList(first, end)).strip();
      if (!text.isEmpty() && !reader.read(new Passage(file, first + 1, text))) {
        return false;
      }
    }
    return true;
  }

  /** Empty for what is no text. */
  private static Optional<String> textOf(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
    } catch (CharacterCodingException binary) {
      return Optional.empty();
    }
  }
}
