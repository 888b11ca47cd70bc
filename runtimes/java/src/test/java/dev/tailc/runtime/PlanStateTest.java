package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanStateTest {
  private static final Path STATES = PolicyTest.VECTORS.resolve("states");
  private static final long LARGE = 1L << 53;
  private static final OptionalLong NONE = OptionalLong.empty();

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      List<Path> files =
          paths.filter(path -> path.toString().endsWith(".tailc")).collect(Collectors.toList());
      assertTrue(files.size() > 2, "there are vectors of states");
      return files;
    }
  }

  @Test
  void aStateIsWrittenAsItWasRead(@TempDir Path folder) throws IOException {
    for (Path path : filesIn(STATES)) {
      Path written = folder.resolve("state.tailc");
      PlanState.open(path).write(written);
      assertArrayEquals(Files.readAllBytes(path), Files.readAllBytes(written), path.toString());
    }
    assertEquals(1, folder.toFile().list().length, "no other file is left");
    Path other = Files.createFile(folder.resolve("other"));
    assertEquals(
        Files.getPosixFilePermissions(other),
        Files.getPosixFilePermissions(folder.resolve("state.tailc")));
  }

  @Test
  void aStateHasWhatItsFileSays() throws IOException {
    PlanState state = PlanState.open(STATES.resolve("every.tailc"));
    assertEquals(1_338_555_600, state.atUnixS);
    assertEquals(1_338_552_000, state.decidedUnixS);
    assertEquals(12, state.servers);
    assertEquals(List.of("later", "last"), state.waiting);
    assertEquals(List.of("wide"), state.refused);
    assertEquals(OptionalLong.of(3_600_000_000L), state.batteryMj);
    BegunJob job = state.running.get(0);
    assertEquals("render/7", job.name);
    assertEquals(NONE, job.begunUnixS);
    assertEquals(List.of(0L, 1L, 5L), job.servers);
    assertEquals(3, job.ranS.get(1).servers);
    assertEquals(2_700, job.ranS.get(1).seconds);
    assertEquals(4, job.greenSlots);
    assertEquals(OptionalLong.of(6), job.machines);
    BegunJob other = state.running.get(1);
    assertEquals("Zürich", other.name);
    assertEquals(OptionalLong.of(1_338_554_700), other.begunUnixS);
    assertEquals(NONE, other.machines);
  }

  @Test
  void aDamagedStateIsRefusedByItsName() throws IOException {
    for (Path path : filesIn(STATES.resolve("refused"))) {
      Refusal refusal =
          assertThrows(PolicyException.class, () -> PlanState.open(path)).refusal();
      assertTrue(path.getFileName().toString().startsWith(refusal.word()), path.toString());
    }
    Path plan = PolicyTest.VECTORS.resolve("plan.tailc");
    assertThrows(PolicyException.class, () -> PlanState.open(plan), "a policy is no state");
  }

  @Test
  void aStateThatNoReaderAcceptsIsNotMade() {
    assertMeaningless(() -> state(0, List.of(), List.of(), NONE));
    assertMeaningless(() -> state(1, List.of(), List.of(), OptionalLong.of(LARGE)));
    assertMeaningless(() -> state(1, List.of(), List.of(""), NONE));
    assertMeaningless(() -> state(1, List.of(job("a", List.of(1L))), List.of(), NONE));
    assertMeaningless(() -> job("\ud800", List.of(0L)));
    assertMeaningless(() -> job("a", List.of()));
    assertMeaningless(() -> new BegunJob("a", NONE, List.of(0L), List.of(), LARGE, NONE));
    OptionalLong many = OptionalLong.of(LARGE);
    assertMeaningless(() -> new BegunJob("a", NONE, List.of(0L), List.of(), 0, many));
    assertMeaningless(() -> new RanSeconds(1, 253_402_300_800L));
  }

  private static PlanState state(
      long servers, List<BegunJob> running, List<String> waiting, OptionalLong batteryMj) {
    return new PlanState(0, 0, servers, running, waiting, List.of(), batteryMj);
  }

  private static BegunJob job(String name, List<Long> servers) {
    return new BegunJob(name, NONE, servers, List.of(), 0, NONE);
  }

  private static void assertMeaningless(org.junit.jupiter.api.function.Executable call) {
    assertEquals(
        Refusal.BAD_MEANING, assertThrows(PolicyException.class, call).refusal());
  }
}
