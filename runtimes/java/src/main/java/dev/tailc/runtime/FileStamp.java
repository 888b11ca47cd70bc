package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;

/** By what a file, at the end of all symbolic links, is known to have changed. */
final class FileStamp {
  // Written twice within a tick of the file system's clock, a file of one size looks the same. The
  // coarsest clock is that of FAT.
  private static final Duration COARSEST_TICK = Duration.ofSeconds(2);

  private final Map<String, Object> attributes;
  private final boolean isSettled;

  private FileStamp(Map<String, Object> attributes, boolean isSettled) {
    this.attributes = attributes;
    this.isSettled = isSettled;
  }

  /** The values of all files that are missing or not accessible are equal. */
  static FileStamp of(Path path) {
    try {
      Instant recent = Instant.now().minus(COARSEST_TICK);
      Map<String, Object> attributes = attributesOf(path);
      return new FileStamp(attributes, areBefore(recent, attributes));
    } catch (IOException missing) {
      return new FileStamp(Collections.emptyMap(), true);
    }
  }

  private static boolean areBefore(Instant recent, Map<String, Object> attributes) {
    return attributes.values().stream()
        .filter(FileTime.class::isInstance)
        .allMatch(time -> ((FileTime) time).toInstant().isBefore(recent));
  }

  private static Map<String, Object> attributesOf(Path path) throws IOException {
    try {
      return Files.readAttributes(path, "unix:dev,ino,size,lastModifiedTime,ctime");
    } catch (UnsupportedOperationException | IllegalArgumentException notUnix) {
      return Files.readAttributes(path, "fileKey,size,lastModifiedTime");
    }
  }

  /** That of what was read between the two: not settled where they differ. */
  FileStamp and(FileStamp later) {
    return equals(later) ? this : new FileStamp(later.attributes, false);
  }

  /** Whether whatever changes after this stamp was taken gives another one. */
  boolean isSettled() {
    return isSettled;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileStamp && attributes.equals(((FileStamp) other).attributes);
  }

  @Override
  public int hashCode() {
    return attributes.hashCode();
  }
}
