package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A policy that follows its file: where that changes, what it holds takes the place of the policy,
 * unless it is refused.
 *
 * <p>A change is seen whether the file is renamed into place, written in place, or behind a
 * symbolic link that is swapped. One that is half written, damaged, older, or otherwise refused
 * leaves the policy in force, is counted once, and is read again when it changes again; one that
 * cannot be read, at every look.
 */
public final class PolicyWatch implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Result of a check of the file. */
  public enum Outcome {
    UNCHANGED,
    RELOADED,
    REFUSED
  }

  /** Result of a check of the file, with the reason of a refusal. */
  public static final class Check {
    private static final Check UNCHANGED = new Check(Outcome.UNCHANGED, null);
    private static final Check RELOADED = new Check(Outcome.RELOADED, null);

    private final Outcome outcome;
    private final Exception why;

    private Check(Outcome outcome, Exception why) {
      this.outcome = outcome;
      this.why = why;
    }

    public Outcome outcome() {
      return outcome;
    }

    /** PolicyException, or IOException where the file could not be read. */
    public Optional<Exception> why() {
      return Optional.ofNullable(why);
    }
  }

  /** How all bytes of a file are had. */
  interface Reading {
    byte[] bytesOf(Path path) throws IOException;
  }

  private final Path path;
  private final Options options;
  private final Reading reading;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Policy current;
  private Thread thread;
  private FileStamp stamp;
  // SHA-256 of the current policy's file, and of what the file had last; empty: it was not read.
  private byte[] held;
  private byte[] seen;

  /**
   * Opens the policy in a file.
   *
   * @throws PolicyException if it is refused
   * @throws IOException if the file cannot be read
   */
  public static PolicyWatch open(Path path, Options options) throws IOException {
    return new PolicyWatch(path, options, Policy::bytesOf);
  }

  public static PolicyWatch open(Path path) throws IOException {
    return open(path, Options.none());
  }

  /** Reads in another way than {@link #open}. */
  PolicyWatch(Path path, Options options, Reading reading) throws IOException {
    this.path = path;
    this.options = options;
    this.reading = reading;
    FileStamp before = FileStamp.of(path);
    byte[] bytes = reading.bytesOf(path);
    stamp = before.and(FileStamp.of(path));
    held = seen = Seal.sha256(bytes, 0, bytes.length);
    current = Policy.open(path, bytes, options);
  }

  /** The policy in force; never waits. Ask it for all that one decision needs. */
  public Policy current() {
    return current;
  }

  /** Looks at the file once, now. */
  public synchronized Check check() {
    FileStamp now = FileStamp.of(path);
    boolean isTouched = !now.equals(stamp);
    boolean wasRead = seen.length > 0;
    if (!isTouched && stamp.isSettled() && wasRead) {
      return Check.UNCHANGED;
    }
    stamp = now;
    try {
      byte[] bytes = reading.bytesOf(path);
      stamp = now.and(FileStamp.of(path));
      return read(bytes, isTouched);
    } catch (PolicyException refused) {
      return new Check(Outcome.REFUSED, refused);
    } catch (IOException unread) {
      return unread(unread, isTouched);
    }
  }

  private Check read(byte[] bytes, boolean isTouched) {
    byte[] before = seen;
    seen = Seal.sha256(bytes, 0, bytes.length);
    boolean isRefused = !isTouched && Arrays.equals(seen, before);
    // What is remembered of the policy held is worth more than a second opening of the same.
    if (isRefused || Arrays.equals(seen, held)) {
      return Check.UNCHANGED;
    }
    current = Policy.open(path, bytes, options.held(current));
    held = seen;
    return Check.RELOADED;
  }

  private Check unread(IOException why, boolean isTouched) {
    if (seen.length == 0 && !isTouched) {
      return Check.UNCHANGED;
    }
    seen = new byte[0];
    current.counters().countUnreadable();
    return new Check(Outcome.REFUSED, why);
  }

  /** Checks the file once per second in a separate thread, until it is closed. */
  public PolicyWatch start() {
    return start(INTERVAL);
  }

  /** Checks the file once per interval in a separate thread, until it is closed. */
  public synchronized PolicyWatch start(Duration interval) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("the interval must be above 0");
    }
    if (thread != null) {
      throw new IllegalStateException("the file is already watched");
    }
    thread = new Thread(() -> watch(interval), "tailc-watch");
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  private void watch(Duration interval) {
    try {
      while (!closed.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
        check();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the thread; the policy stays in force. */
  @Override
  public void close() {
    closed.countDown();
    Thread started;
    synchronized (this) {
      started = thread;
    }
    if (started == null || started == Thread.currentThread()) {
      return;
    }
    try {
      started.join();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
