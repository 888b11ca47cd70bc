package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemandLogTest {
  @TempDir Path folder;
  private Path path;

  @BeforeEach
  void nameAFile() {
    path = folder.resolve("demand.csv");
  }

  @Test
  void everyThirdRequestIsWrittenAndStandsForThree() throws IOException {
    try (DemandLog log = DemandLog.open(path, 3)) {
      for (long demandUs = 1; demandUs <= 7; ++demandUs) {
        log.record(demandUs);
      }
    }
    assertEquals("demand_us,weight\n3,3\n6,3\n", Files.readString(path));
  }

  @Test
  void aDemandBelowAMicrosecondCountsAsOne() throws IOException {
    try (DemandLog log = DemandLog.open(path, 1)) {
      for (long demandUs = 0; demandUs <= 2; ++demandUs) {
        log.record(demandUs);
      }
    }
    assertEquals("demand_us,weight\n1,1\n1,1\n2,1\n", Files.readString(path));
  }

  @Test
  void aClassIsQuotedWhereItMustBe() throws IOException {
    try (DemandLog log = DemandLog.openWithClasses(path, 1)) {
      log.record(5, "short");
      log.record(6, "a \"b\", c");
      assertThrows(IllegalArgumentException.class, () -> log.record(7));
    }
    String wanted = "demand_us,weight,class\n5,1,short\n6,1,\"a \"\"b\"\", c\"\n";
    assertEquals(wanted, Files.readString(path));
  }

  @Test
  void aLogThatIsThereGoesOn() throws IOException {
    for (long demandUs = 1; demandUs <= 2; ++demandUs) {
      try (DemandLog log = DemandLog.open(path, 1)) {
        log.record(demandUs);
      }
    }
    assertEquals("demand_us,weight\n1,1\n2,1\n", Files.readString(path));
  }

  @Test
  void aFileWithAnotherHeaderIsLeftAsItIs() throws IOException {
    Files.writeString(path, "demand_us,weight\n1,1\n");
    assertThrows(IOException.class, () -> DemandLog.openWithClasses(path, 1));
    Files.writeString(path, "demand_us,weight,class\n1,1,a\n");
    assertThrows(IOException.class, () -> DemandLog.open(path, 1));
    assertEquals("demand_us,weight,class\n1,1,a\n", Files.readString(path));
    Files.writeString(path, "demand_us,weight\n1,");
    assertThrows(IOException.class, () -> DemandLog.open(path, 1));
  }

  @Test
  void aClassBelongsToALogWithClasses() throws IOException {
    try (DemandLog log = DemandLog.open(path, 1)) {
      assertThrows(IllegalArgumentException.class, () -> log.record(1, "short"));
      assertThrows(IllegalArgumentException.class, () -> log.record(-1));
    }
  }

  @Test
  void whatIsRecordedIsThereAfterAFlush() throws IOException {
    try (DemandLog log = DemandLog.open(path, 1)) {
      log.record(1);
      assertEquals("demand_us,weight\n", Files.readString(path));
      log.flush();
      assertEquals("demand_us,weight\n1,1\n", Files.readString(path));
    }
  }

  @Test
  void manyThreadsWriteWholeLinesOfAsManyRequests() throws Exception {
    int threads = 4;
    int requests = 20_000;
    try (DemandLog log = DemandLog.open(path, 10)) {
      Thread[] all = new Thread[threads];
      for (int i = 0; i < threads; ++i) {
        all[i] = new Thread(() -> recordMany(log, requests));
        all[i].start();
      }
      for (Thread one : all) {
        one.join();
      }
    }
    List<String> lines = Files.readAllLines(path);
    assertEquals(threads * requests / 10, lines.size() - 1);
    assertEquals(
        List.of("12345,10"),
        lines.stream().skip(1).distinct().collect(Collectors.toList()));
  }

  private static void recordMany(DemandLog log, int requests) {
    for (int i = 0; i < requests; ++i) {
      log.record(12_345);
    }
  }

  @Test
  void aClosedLogTakesNoMore() throws IOException {
    DemandLog log = DemandLog.open(path, 1);
    log.close();
    log.close();
    assertThrows(IllegalStateException.class, () -> log.record(1));
    assertThrows(IllegalArgumentException.class, () -> DemandLog.open(path, 0));
  }
}
