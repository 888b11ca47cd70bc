package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What is true at a boundary of two epochs of a plan in force; {@code tailc replan} continues from it.
 * A state that contradicts itself is refused with a {@link PolicyException}.
 */
public final class PlanState {
  static final long LATEST_UNIX_S = 253_402_300_799L;
  private static final long LARGEST = (1L << 53) - 1;
  private static final long MOST_SERVERS = 1L << 20;

  public final long atUnixS;

  /** Jobs submitted up to then have run, wait or were refused. */
  public final long decidedUnixS;

  public final long servers;
  public final List<BegunJob> running;
  public final List<String> waiting;
  public final List<String> refused;

  /** Energy in the battery; empty: there is none. */
  public final OptionalLong batteryMj;

  public PlanState(
      long atUnixS,
      long decidedUnixS,
      long servers,
      List<BegunJob> running,
      List<String> waiting,
      List<String> refused,
      OptionalLong batteryMj) {
    this.atUnixS = atUnixS;
    this.decidedUnixS = decidedUnixS;
    this.servers = servers;
    this.running = List.copyOf(running);
    this.waiting = List.copyOf(waiting);
    this.refused = List.copyOf(refused);
    this.batteryMj = batteryMj;
    checkNumbers();
    checkServers();
    checkNames();
  }

  /**
   * The state in a FlatBuffer, as {@code tailc advance -o NAME.tailc} writes it.
   *
   * @throws PolicyException if the file is not one
   */
  public static PlanState open(Path path) throws IOException {
    try {
      return open(Policy.bytesOf(path));
    } catch (PolicyException refused) {
      throw new PolicyException(path, refused);
    }
  }

  /** The state in the bytes of a file. */
  public static PlanState open(byte[] bytes) {
    return FlatState.read(bytes);
  }

  /** The file of the state; equal states have equal bytes. */
  public byte[] bytes() {
    return FlatState.write(this);
  }

  /** Replaces a file by that of the state, at once and whole. */
  public void write(Path path) throws IOException {
    Path file = path.toAbsolutePath();
    long number = ThreadLocalRandom.current().nextLong() >>> 1;
    Path written = file.resolveSibling("." + file.getFileName() + "." + number + ".tmp");
    try {
      try (FileChannel channel =
          FileChannel.open(written, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
        ByteBuffer bytes = ByteBuffer.wrap(bytes());
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
  }

  static boolean isWhole(long number) {
    return 0 <= number && number <= LARGEST;
  }

  static void checkName(String name) {
    require(!name.isEmpty() && StandardCharsets.UTF_8.newEncoder().canEncode(name),
        "a name in a state must be UTF-8 and not empty");
  }

  private void checkNumbers() {
    require(0 <= decidedUnixS && decidedUnixS <= atUnixS && atUnixS <= LATEST_UNIX_S,
        "`decided_unix_s` must be 0 to `at_unix_s`, before the year 10000");
    require(0 < servers && servers <= MOST_SERVERS, "`servers` must be 1 to 2^20");
    require(isWhole(batteryMj.orElse(0)), "`battery_mj` must be 0 to 2^53 - 1");
    for (BegunJob job : running) {
      long first = job.firstUnixS(atUnixS);
      require(0 <= first && first <= atUnixS,
          "`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`");
    }
  }

  private void checkServers() {
    Set<Long> busy = new HashSet<>();
    for (BegunJob job : running) {
      for (long server : job.servers) {
        require(busy.add(server), "two jobs must not have the same server");
        require(server < servers, "a server of a job is not among `servers`");
      }
    }
  }

  private void checkNames() {
    waiting.forEach(PlanState::checkName);
    refused.forEach(PlanState::checkName);
    Set<String> names = new HashSet<>(waiting);
    names.addAll(refused);
    running.forEach(job -> names.add(job.name));
    require(names.size() == running.size() + waiting.size() + refused.size(),
        "a job must be named once in a state");
  }
}
