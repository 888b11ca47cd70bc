package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What vectors do not tell: other forms, counters, reloads, wrong arguments. */
class PolicyTest {
  static final Path VECTORS = Path.of(System.getProperty("tailc.vectors"));

  static Policy opened(String name) throws IOException {
    return Policy.open(VECTORS.resolve(name + ".tailc"));
  }

  private static void assertRefused(Refusal wanted, Executable call) {
    assertEquals(wanted, assertThrows(PolicyException.class, call).refusal());
  }

  /** Haque et al., ASPLOS 2015, Table 2, rows 14 and 25. */
  @Test
  void aLookUpAnswersAsThePublishedTable() throws IOException {
    Ladder ladder = opened("lucene").ladder();
    Answer waits = ladder.lookup(14, 4_000, 0, new Answer());
    assertEquals(Start.WAIT, waits.start());
    assertEquals(6_000, waits.waitUs());
    assertEquals(3, ladder.rung(14, 10_000, 225_000));
    assertEquals(Start.ON_EXIT, ladder.lookup(25, 0, 0, new Answer()).start());
  }

  @Test
  void aLadderTellsWhatItsServerMustKnow() throws IOException {
    Policy policy = opened("lucene");
    Ladder ladder = policy.ladder();
    assertEquals(List.of("d1", "d2", "d3", "d4"), ladder.rungs());
    assertEquals(LoadAxis.IN_SYSTEM, ladder.loadAxis());
    assertEquals(5_000, ladder.quantumUs());
    assertTrue(ladder.rules().contains(Rule.BOOST_LAST_RUNG));
    assertEquals(15_000_000, ladder.boost().orElseThrow().belowPpm);
    assertEquals("lucene", policy.name());
    assertEquals(1, policy.generation());
  }

  @Test
  void aClassHasItsOwnLadderAndOthersTheOneForAll() throws IOException {
    Policy policy = opened("classes");
    assertEquals(Optional.of("short"), policy.ladder("short").requestClass());
    assertEquals(Optional.empty(), policy.ladder("long").requestClass());
  }

  @Test
  void aBudgetTableHasTheLimitsOfItsEngineAndNegativeNumbersCountAs0() throws IOException {
    BudgetTable table = opened("budgets").budgetTable();
    assertEquals(6_007, table.kvBlocks());
    assertEquals(16, table.blockTokens());
    assertEquals(64, table.maxSequences());
    Budget budget = new Budget();
    table.lookup(17, 5_000, budget);
    assertEquals(768, budget.tokens());
    assertEquals(2, budget.newSequences());
    table.lookup(-1, -1, budget);
    assertEquals(2_048, budget.tokens());
  }

  @Test
  void anotherFormThanThePolicyHasIsRefused() throws IOException {
    Policy policy = opened("lucene");
    assertRefused(Refusal.OTHER_FORM, policy::tailTable);
    assertRefused(Refusal.OTHER_FORM, policy::shares);
    assertRefused(Refusal.OTHER_FORM, policy::plan);
    assertRefused(Refusal.OTHER_FORM, policy::budgetTable);
    assertRefused(Refusal.OTHER_FORM, opened("tails")::ladder);
  }

  @Test
  void anArgumentThatMakesNoSenseIsTheCallersError() throws IOException {
    Ladder ladder = opened("lucene").ladder();
    assertInvalid(() -> ladder.rung(-1, 0, 0));
    assertInvalid(() -> ladder.rung(0, -1, 0));
    assertInvalid(() -> ladder.rung(0, 0, -1));
    assertInvalid(() -> ladder.lookupScaled(0, 0, 0, 1_000_001, new Answer()));
    Policy tails = opened("tails-trim");
    assertInvalid(() -> tails.tailTable().level(new long[0], 0, 0, 0));
    assertInvalid(() -> tails.tailTable().level(new long[] {5, -1}, 2, 0, 0));
    Controller controller = tails.controller().orElseThrow();
    long beforePpm = controller.outputPpm();
    assertInvalid(() -> controller.step(-1, 0));
    assertEquals(beforePpm, controller.outputPpm());
    Shares shares = opened("shares").shares();
    assertInvalid(() -> shares.tick(1.0));
    assertInvalid(() -> shares.tick(1.0, Double.NaN));
    assertInvalid(() -> shares.tick(new double[] {1.0, 1.0}, new long[] {1}));
    assertInvalid(() -> shares.tick(new double[] {1.0, 1.0}, new long[] {1, -1}));
    Plan plan = opened("plan").plan();
    assertInvalid(() -> plan.quote(0, 0, 1, 0));
    assertInvalid(() -> plan.release("nobody", 0));
  }

  private static void assertInvalid(Executable call) {
    assertThrows(IllegalArgumentException.class, call);
  }

  @Test
  void lookUpsOutsideOfWhatWasCompiledForAreCounted() throws IOException {
    Policy policy = opened("classes");
    policy.ladder().rung(1, 0, 0);
    assertEquals(0, policy.counters().outside());
    policy.ladder().rung(1_000_000, 0, 0);
    assertEquals(1, policy.counters().outside());
    Policy clamped = opened("smallest");
    clamped.ladder().rung(1_000_000, 0, 0);
    assertEquals(0, clamped.counters().outside());
    Policy datacentre = opened("plan");
    datacentre.plan().epochAt(0);
    assertEquals(1, datacentre.counters().outside());
  }

  @Test
  void aReloadGoesOnWithTheCountersOfThePolicyHeld() throws IOException {
    Policy held = opened("lucene");
    Policy same = Policy.open(VECTORS.resolve("lucene.tailc"), Options.none().held(held));
    assertSame(held.counters(), same.counters());
    assertEquals(0, held.counters().refusedReloads());
    assertEquals(Optional.empty(), held.counters().lastRefusal());
  }

  @Test
  void refusedReloadsAreCountedAndTheLastIsTold() throws IOException {
    Policy held = opened("lucene");
    Options options = Options.none().held(held);
    Path damaged = VECTORS.resolve("refused").resolve("bit-flip.tailc");
    assertRefused(Refusal.HASH_MISMATCH, () -> Policy.open(damaged, options));
    assertEquals(Optional.of("hash-mismatch"), held.counters().lastRefusal());
    Path missing = VECTORS.resolve("missing.tailc");
    assertThrows(NoSuchFileException.class, () -> Policy.open(missing, options));
    assertEquals(2, held.counters().refusedReloads());
    assertEquals(Optional.of("unreadable"), held.counters().lastRefusal());
  }

  @Test
  void aFolderCannotBeRead() {
    assertThrows(IOException.class, () -> Policy.open(VECTORS));
  }

  @Test
  void bytesNeedNotBeKept() throws IOException {
    byte[] bytes = Files.readAllBytes(VECTORS.resolve("lucene.tailc"));
    Policy policy = Policy.open(bytes);
    java.util.Arrays.fill(bytes, (byte) '!');
    assertEquals(3, policy.ladder().rung(14, 0, 225_000));
    assertEquals("lucene", policy.name());
  }

  @Test
  void aKeyThatIsNoneIsTheCallersError() {
    String begin = "-----BEGIN PUBLIC KEY-----";
    assertInvalid(() -> Options.none().trusting(begin));
    assertInvalid(() -> Options.none().trusting(begin + "\nTUlJ\n-----END PUBLIC KEY-----"));
  }
}
