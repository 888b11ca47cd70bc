package dev.tailc.runtime;

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Demands of requests as a trace for tailc: a CSV file with a line for every so many of them, and
 * how many it stands for. Any number of threads may record at once; all but those whose request is
 * written pay for a counter alone.
 */
public final class DemandLog implements Closeable, Flushable {
  private static final String HEADER = "demand_us,weight";
  private static final String TIMES = ",arrival_us,wait_us,run_us,thread_us,granted_us,late_us";
  private static final int FULL_CHARACTERS = 8_192;

  private final Path path;
  private final long oneIn;
  private final boolean hasClasses;
  private final boolean hasTimes;
  private final AtomicLong requests = new AtomicLong();
  private final StringBuilder lines = new StringBuilder();
  private final OutputStream file;
  private boolean isClosed;

  /**
   * A log of every {@code oneIn}-th request, which goes on where the file exists.
   *
   * @throws IOException if the file cannot be written, or has another header
   */
  public static DemandLog open(Path path, long oneIn) throws IOException {
    return new DemandLog(path, oneIn, false, false);
  }

  /** The same with a class of each request. */
  public static DemandLog openWithClasses(Path path, long oneIn) throws IOException {
    return new DemandLog(path, oneIn, true, false);
  }

  /** The same with a class, which may be empty, and the times of each request, for a Scheduler. */
  public static DemandLog openWithTimes(Path path, long oneIn) throws IOException {
    return new DemandLog(path, oneIn, true, true);
  }

  private DemandLog(Path path, long oneIn, boolean hasClasses, boolean hasTimes)
      throws IOException {
    if (oneIn < 1) {
      throw new IllegalArgumentException("one in `" + oneIn + "` requests cannot be written");
    }
    this.path = path;
    this.oneIn = oneIn;
    this.hasClasses = hasClasses;
    this.hasTimes = hasTimes;
    String header = HEADER + (hasClasses ? ",class" : "") + (hasTimes ? TIMES : "") + "\n";
    boolean isNew = !Files.exists(path) || Files.size(path) == 0;
    if (!isNew) {
      check(header);
    }
    file = Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (isNew) {
      file.write(header.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * One more request, of a log without classes.
   *
   * @param demandUs how long it executed, on the rung that the trace's spec names as reference; less
   *     than a microsecond counts as one, since a trace has no demand of 0
   * @throws UncheckedIOException if lines could not be written; they are lost
   */
  public void record(long demandUs) {
    record(demandUs, null);
  }

  /** Whether each request has its times. */
  boolean hasTimes() {
    return hasTimes;
  }

  /** Whether each request has a class. */
  boolean hasClasses() {
    return hasClasses;
  }

  /** One more request, of a log with classes. */
  public void record(long demandUs, String requestClass) {
    record(demandUs, requestClass, null);
  }

  /** One more request, of a log with times; null is for a log without them. */
  public void record(long demandUs, String requestClass, RequestTimes times) {
    if (hasTimes == (times == null)) {
      throw new IllegalArgumentException("a request must have times if the log has times");
    }
    if (demandUs < 0 || hasClasses == (requestClass == null)) {
      throw new IllegalArgumentException(
          "a demand must not be negative, and must have a class if the log has classes");
    }
    if (requests.incrementAndGet() % oneIn == 0) {
      write(demandUs, requestClass, times);
    }
  }

  private synchronized void write(long demandUs, String requestClass, RequestTimes times) {
    if (isClosed) {
      throw new IllegalStateException("the log is closed");
    }
    lines.append(Math.max(demandUs, 1)).append(',').append(oneIn);
    if (hasClasses) {
      lines.append(',').append(quoted(requestClass));
    }
    if (hasTimes) {
      lines.append(',').append(times.arrivalUs).append(',').append(times.waitUs);
      lines.append(',').append(times.runUs).append(',').append(times.threadUs);
      lines.append(',').append(times.grantedUs).append(',').append(times.lateUs);
    }
    lines.append('\n');
    if (lines.length() >= FULL_CHARACTERS) {
      try {
        flush();
      } catch (IOException unwritten) {
        throw new UncheckedIOException(unwritten);
      }
    }
  }

  /** As RFC 4180 has it. */
  private static String quoted(String text) {
    boolean isPlain = text.chars().noneMatch(character -> ",\"\r\n".indexOf(character) >= 0);
    return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  /** Writes what has been recorded. */
  @Override
  public synchronized void flush() throws IOException {
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    lines.setLength(0);
    file.write(bytes);
  }

  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      flush();
    } finally {
      file.close();
    }
  }

  /** A file that is there must begin with the header, and end with a line. */
  private void check(String header) throws IOException {
    try (RandomAccessFile existing = new RandomAccessFile(path.toFile(), "r")) {
      byte[] first = new byte[(int) Math.min(header.length(), existing.length())];
      existing.readFully(first);
      if (!header.equals(new String(first, StandardCharsets.UTF_8))) {
        throw new IOException(path + ": the file does not begin with `" + header.strip() + "`");
      }
      existing.seek(existing.length() - 1);
      if (existing.read() != '\n') {
        throw new IOException(path + ": the file exists, but its last line is incomplete");
      }
    }
  }
}
