package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tailc.runtime.PolicyWatch.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyWatchTest {
  @TempDir Path folder;
  private Path watched;

  @BeforeEach
  void copyAPolicy() throws IOException {
    watched = folder.resolve("policy.tailc");
    Files.write(watched, bytes("lucene"));
  }

  private static byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(PolicyTest.VECTORS.resolve(name + ".tailc"));
  }

  private void rename(byte[] bytes) throws IOException {
    Path beside = Files.write(folder.resolve("next"), bytes);
    Files.move(beside, watched, StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void aFileThatIsRenamedIntoPlaceIsTaken() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched);
    assertEquals(Outcome.UNCHANGED, watch.check().outcome());
    rename(bytes("classes"));
    assertEquals(Outcome.RELOADED, watch.check().outcome());
    assertEquals("classes", watch.current().name());
    assertEquals(Outcome.UNCHANGED, watch.check().outcome());
  }

  @Test
  void aFileThatIsWrittenInPlaceIsTaken() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched);
    Files.write(watched, bytes("classes"));
    assertEquals(Outcome.RELOADED, watch.check().outcome());
  }

  /** As Kubernetes mounts a volume: policy.tailc is ..data/policy.tailc, ..data a folder's link. */
  @Test
  void aLinkOnTheWayThatIsSwappedIsFollowed() throws IOException {
    for (String name : List.of("lucene", "classes")) {
      Files.createDirectory(folder.resolve(name));
      Files.write(folder.resolve(name).resolve("policy.tailc"), bytes(name));
    }
    Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("lucene"));
    Files.delete(watched);
    Files.createSymbolicLink(watched, Path.of("..data/policy.tailc"));
    PolicyWatch watch = PolicyWatch.open(watched);
    Path next = Files.createSymbolicLink(folder.resolve("..next"), Path.of("classes"));
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
    assertEquals(Outcome.RELOADED, watch.check().outcome());
    assertEquals("classes", watch.current().name());
  }

  @Test
  void aHalfWrittenFileIsRefusedOnceAndTakenWhenItIsWhole() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched);
    Policy held = watch.current();
    byte[] next = bytes("classes");
    Files.write(watched, Arrays.copyOf(next, next.length / 2));
    PolicyWatch.Check refused = watch.check();
    assertEquals(Outcome.REFUSED, refused.outcome());
    PolicyException why = assertInstanceOf(PolicyException.class, refused.why().orElseThrow());
    assertEquals(Refusal.TRUNCATED, why.refusal());
    assertEquals(Outcome.UNCHANGED, watch.check().outcome());
    assertSame(held, watch.current());
    assertEquals(1, held.counters().refusedReloads());
    Files.write(watched, next);
    assertEquals(Outcome.RELOADED, watch.check().outcome());
    assertEquals(1, watch.current().counters().refusedReloads());
  }

  /** Within one tick of the file system's clock nothing but the bytes tells. */
  @Test
  void anotherFileOfTheSameSizeAndTimesIsRead() throws IOException {
    byte[] whole = bytes("lucene");
    byte[] damaged = whole.clone();
    damaged[100] ^= 1;
    PolicyWatch watch = PolicyWatch.open(watched);
    FileTime written = Files.getLastModifiedTime(watched);
    for (int i = 0; i < 50; ++i) {
      Files.write(watched, damaged);
      Files.setLastModifiedTime(watched, written);
      assertEquals(Outcome.REFUSED, watch.check().outcome());
      damaged[200 + i] ^= 1;
    }
  }

  @Test
  void aFileThatMayStillChangeUnseenIsReadAgain() throws IOException {
    assertTrue(FileStamp.of(PolicyTest.VECTORS.resolve("lucene.tailc")).isSettled());
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
    Files.setLastModifiedTime(watched, FileTime.from(tomorrow));
    assertFalse(FileStamp.of(watched).isSettled());
  }

  @Test
  void whatChangesWhileItIsReadIsReadAgain() throws IOException {
    FileStamp before = FileStamp.of(PolicyTest.VECTORS.resolve("lucene.tailc"));
    FileStamp after = FileStamp.of(PolicyTest.VECTORS.resolve("classes.tailc"));
    assertTrue(before.and(before).isSettled());
    assertFalse(before.and(after).isSettled());
    assertEquals(after, before.and(after));
  }

  @Test
  void aPolicyThatIsBackBeforeAnotherWasTakenGoesOn() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched);
    Policy held = watch.current();
    Files.write(watched, new byte[100]);
    assertEquals(Outcome.REFUSED, watch.check().outcome());
    rename(bytes("lucene"));
    assertEquals(Outcome.UNCHANGED, watch.check().outcome());
    assertSame(held, watch.current());
  }

  @Test
  void whatIsRefusedIsCountedAtEachChange() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched);
    for (int i = 0; i < 3; ++i) {
      rename(new byte[100]);
      assertEquals(Outcome.REFUSED, watch.check().outcome());
      assertEquals(Outcome.UNCHANGED, watch.check().outcome());
    }
    assertEquals(3, watch.current().counters().refusedReloads());
  }

  @Test
  void aFileThatIsGoneIsCountedOnceAndTakenWhenItIsBack() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched);
    Files.delete(watched);
    PolicyWatch.Check gone = watch.check();
    assertInstanceOf(NoSuchFileException.class, gone.why().orElseThrow());
    assertEquals(Outcome.UNCHANGED, watch.check().outcome());
    assertEquals(1, watch.current().counters().refusedReloads());
    rename(bytes("classes"));
    assertEquals(Outcome.RELOADED, watch.check().outcome());
  }

  /** As in a server that has too many connections; the files are too old to be read twice. */
  @Test
  void aFileThatCannotBeReadForAWhileIsTriedAgainAsItIs() throws IOException {
    Files.delete(watched);
    Files.createSymbolicLink(watched, PolicyTest.VECTORS.resolve("lucene.tailc").toAbsolutePath());
    AtomicBoolean hasFiles = new AtomicBoolean(true);
    PolicyWatch watch = new PolicyWatch(watched, Options.none(), path -> bytesIf(hasFiles, path));
    Files.delete(watched);
    Files.createSymbolicLink(watched, PolicyTest.VECTORS.resolve("classes.tailc").toAbsolutePath());
    hasFiles.set(false);
    assertEquals(Outcome.REFUSED, watch.check().outcome());
    assertEquals(Outcome.UNCHANGED, watch.check().outcome());
    hasFiles.set(true);
    assertEquals(Outcome.RELOADED, watch.check().outcome());
    assertEquals(1, watch.current().counters().refusedReloads());
  }

  private static byte[] bytesIf(AtomicBoolean hasFiles, Path path) throws IOException {
    if (!hasFiles.get()) {
      throw new IOException("too many open files");
    }
    return Policy.bytesOf(path);
  }

  @Test
  void whatIsAskedAtTheOpeningIsAskedOfEveryPolicyThatFollows() throws IOException {
    PolicyWatch watch = PolicyWatch.open(watched, Options.none().service("lucene"));
    rename(bytes("classes"));
    PolicyWatch.Check refused = watch.check();
    PolicyException why = assertInstanceOf(PolicyException.class, refused.why().orElseThrow());
    assertEquals(Refusal.OTHER_SERVICE, why.refusal());
  }

  @Test
  void anOlderGenerationDoesNotTakeThePlaceOfALaterOne() throws IOException {
    Path good = PolicyTest.VECTORS.resolve("signed").resolve("good.tailc");
    Files.write(watched, Files.readAllBytes(good));
    PolicyWatch watch = PolicyWatch.open(watched);
    assertTrue(watch.current().generation() > 1);
    rename(bytes("lucene"));
    assertEquals(Outcome.REFUSED, watch.check().outcome());
    assertEquals("older-generation", watch.current().counters().lastRefusal().orElseThrow());
  }

  @Test
  void aPolicyThatIsRefusedAtFirstIsNotWatched() throws IOException {
    Files.write(watched, new byte[10]);
    assertThrows(PolicyException.class, () -> PolicyWatch.open(watched));
  }

  @Test
  void aThreadOfItsOwnLooksUntilItIsClosed() throws Exception {
    PolicyWatch watch = PolicyWatch.open(watched).start(Duration.ofMillis(1));
    rename(bytes("classes"));
    waitFor(watch, "classes");
    watch.close();
    rename(bytes("lucene"));
    Thread.sleep(20);
    assertEquals("classes", watch.current().name());
  }

  @Test
  void aFileIsLookedAtNowAndThenByOneThread() throws IOException {
    try (PolicyWatch watch = PolicyWatch.open(watched)) {
      assertThrows(IllegalArgumentException.class, () -> watch.start(Duration.ZERO));
      watch.start();
      assertThrows(IllegalStateException.class, watch::start);
    }
  }

  private static void waitFor(PolicyWatch watch, String name) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!watch.current().name().equals(name)) {
      assertTrue(System.nanoTime() < deadline, "the change was not seen");
      Thread.sleep(1);
    }
  }

  /** A thousand changes a second, in every manner, while all cores look up. */
  @Test
  void everyAnswerIsOfOnePolicyWhole() throws Exception {
    Map<String, long[]> wanted =
        Map.of("lucene", answersOf("lucene"), "arrival", answersOf("arrival"));
    assertFalse(Arrays.equals(wanted.get("lucene"), wanted.get("arrival")));
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicReference<String> torn = new AtomicReference<>();
    AtomicLong asked = new AtomicLong();
    try (PolicyWatch watch = PolicyWatch.open(watched).start(Duration.ofNanos(100_000))) {
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < Runtime.getRuntime().availableProcessors(); ++i) {
        Thread reader =
            new Thread(
                () -> {
                  while (!isOver.get()) {
                    Policy policy = watch.current();
                    if (!Arrays.equals(answersOf(policy), wanted.get(policy.name()))) {
                      torn.set(policy.name());
                    }
                    asked.incrementAndGet();
                  }
                });
        reader.start();
        readers.add(reader);
      }
      swap(500);
      rename(bytes("arrival"));
      waitFor(watch, "arrival");
      isOver.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
    }
    assertNull(torn.get());
    assertTrue(asked.get() > 1_000);
  }

  /** By turns renamed, written in place, and behind a link; one a millisecond. */
  private void swap(int count) throws IOException, InterruptedException {
    byte[][] both = {bytes("lucene"), bytes("arrival")};
    Path[] targets = {folder.resolve("a"), folder.resolve("b")};
    Files.write(targets[0], both[0]);
    Files.write(targets[1], both[1]);
    for (int i = 0; i < count; ++i) {
      int which = i / 3 % 2;
      if (i % 3 == 0) {
        rename(both[which]);
      } else if (i % 3 == 1) {
        Files.write(watched, both[1 - which]);
      } else {
        Path link = Files.createSymbolicLink(folder.resolve("link"), targets[which]);
        Files.move(link, watched, StandardCopyOption.ATOMIC_MOVE);
      }
      Thread.sleep(1);
    }
  }

  private static long[] answersOf(String name) throws IOException {
    return answersOf(PolicyTest.opened(name));
  }

  private static long[] answersOf(Policy policy) {
    Answer answer = new Answer();
    long[] answers = new long[64];
    for (int i = 0; i < answers.length; ++i) {
      policy.ladder().lookup(i / 2, 1_000, 20_000 * (i % 16), answer);
      answers[i] = answer.waitUs() * 100 + answer.rung() * 3 + answer.start().ordinal();
    }
    return answers;
  }
}
