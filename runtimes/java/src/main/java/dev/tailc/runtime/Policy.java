package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import com.google.flatbuffers.Table;
import dev.tailc.policy.Form;
import dev.tailc.policy.FormBox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a policy has: one ladder for each class of requests, a tail table, shares, a plan, or a budget
 * table.
 *
 * <p>Look-ups in ladders, tail tables and budget tables are for any number of threads at once, also
 * while another steps the controller.
 */
public final class Policy {
  static final int MOST_BYTES = 64 << 20;

  private final String name;
  private final String kind;
  private final long generation;
  private final long signatureExpiresUnixS;
  private final String policyDigest;
  private final Counters counters;
  private final Controller controller;
  private final Object form;

  /**
   * The policy in a {@code .tailc} file. Length and hash are checked first, then structure, then
   * meaning.
   *
   * @throws PolicyException if it is refused
   * @throws IOException if the file cannot be read
   */
  public static Policy open(Path path) throws IOException {
    return open(path, Options.none());
  }

  /** The same if it is what the options ask. */
  public static Policy open(Path path, Options options) throws IOException {
    try {
      return open(path, bytesOf(path), options);
    } catch (IOException unread) {
      options.counters().ifPresent(Counters::countUnreadable);
      throw unread;
    }
  }

  /** The same, of the bytes of the file. */
  static Policy open(Path path, byte[] bytes, Options options) {
    try {
      return open(bytes, options);
    } catch (PolicyException refused) {
      throw new PolicyException(path, refused);
    }
  }

  /** The policy in the bytes of a {@code .tailc} file, which may change afterwards. */
  public static Policy open(byte[] bytes) {
    return open(bytes, Options.none());
  }

  /** The same if it is what the options ask. */
  public static Policy open(byte[] bytes, Options options) {
    try {
      return new Policy(bytes, options);
    } catch (PolicyException refused) {
      options.counters().ifPresent(counters -> counters.countRefused(refused.refusal()));
      throw refused;
    }
  }

  /** All bytes of a file, but no more than one above the most that a policy has. */
  static byte[] bytesOf(Path path) throws IOException {
    try (InputStream file = Files.newInputStream(path)) {
      return file.readNBytes(MOST_BYTES + 1);
    }
  }

  private Policy(byte[] bytes, Options options) {
    if (bytes.length > MOST_BYTES) {
      throw new PolicyException(Refusal.BAD_STRUCTURE,
          "the file is larger than the limit for a policy");
    }
    Seal.Unsealed unsealed = Seal.unsealed(bytes, options);
    dev.tailc.policy.Policy root = FlatForms.in(unsealed.payload);
    signatureExpiresUnixS = unsealed.expiresUnixS;
    name = root.name();
    kind = root.kind();
    generation = root.generation();
    policyDigest = root.policyDigest();
    counters = options.counters().orElseGet(Counters::new);
    int last = root.formsLength() - 1;
    boolean steers = last >= 0 && root.forms(last).formType() == Form.Controller;
    controller =
        steers ? new Controller(in(root.forms(last), new dev.tailc.policy.Controller())) : null;
    form = formIn(root, steers ? last : last + 1);
    options.check(this);
  }

  public String name() {
    return name;
  }

  public String kind() {
    return kind;
  }

  /** 1, 2, ...: the next number whenever the policy promises or does something else. */
  public long generation() {
    return generation;
  }

  /**
   * Unix second at which its checked signature expires, unsigned; 0 if it never expires, or was not
   * checked.
   */
  public long signatureExpiresUnixS() {
    return signatureExpiresUnixS;
  }

  /** Hex SHA-256 of the policy as canonical JSON. */
  public String policyDigest() {
    return policyDigest;
  }

  public Counters counters() {
    return counters;
  }

  /** What scales the ages of climbs, or the bound of a tail table. */
  public Optional<Controller> controller() {
    return Optional.ofNullable(controller);
  }

  /**
   * The ladder for all classes of requests.
   *
   * @throws PolicyException OTHER_FORM, UNKNOWN_CLASS
   */
  public Ladder ladder() {
    return ladderOf(Optional.empty());
  }

  /** The ladder of a class, or the ladder for all classes if the class has none. */
  public Ladder ladder(String requestClass) {
    return ladderOf(Optional.of(requestClass));
  }

  /** In the order of the policy. */
  public List<Ladder> ladders() {
    return form(Ladders.class, "ladders").ladders;
  }

  /** Throws PolicyException, OTHER_FORM, where the policy has another one; as do those below. */
  public TailTable tailTable() {
    return form(TailTable.class, "a tail table");
  }

  public Shares shares() {
    return form(Shares.class, "shares");
  }

  public Plan plan() {
    return form(Plan.class, "a plan");
  }

  public BudgetTable budgetTable() {
    return form(BudgetTable.class, "a budget table");
  }

  private Ladder ladderOf(Optional<String> requestClass) {
    Ladder forAll = null;
    for (Ladder ladder : ladders()) {
      if (ladder.requestClass().equals(requestClass)) {
        return ladder;
      }
      forAll = ladder.requestClass().isPresent() ? forAll : ladder;
    }
    if (forAll == null) {
      String whom =
          requestClass.map(name -> "class `" + name + "` of requests").orElse("all requests");
      throw new PolicyException(Refusal.UNKNOWN_CLASS, "no ladder for " + whom);
    }
    return forAll;
  }

  private <T> T form(Class<T> wanted, String name) {
    if (!wanted.isInstance(form)) {
      throw new PolicyException(Refusal.OTHER_FORM, "the policy does not have " + name);
    }
    return wanted.cast(form);
  }

  /** What the forms are together: ladders, or one form of another kind, and no controller. */
  private Object formIn(dev.tailc.policy.Policy root, int count) {
    int ladders = 0;
    for (int i = 0; i < count; ++i) {
      byte type = root.forms(i).formType();
      require(
          type != Form.Controller, "`forms` must have at most one controller, as the last form");
      ladders += type == Form.Ladder ? 1 : 0;
    }
    boolean isWhole = count > 0 && (ladders == count || (ladders == 0 && count == 1));
    require(
        isWhole,
        "`forms` must have exactly one of ladders, a tail table, shares, a plan and a budget table");
    if (ladders > 0) {
      scales(Controller.Actuator.CLIMB_AGES);
      return new Ladders(root, count);
    }
    return oneForm(root.forms(0));
  }

  private Object oneForm(FormBox box) {
    if (box.formType() == Form.TailTable) {
      scales(Controller.Actuator.LATENCY_BOUND);
      return new TailTable(in(box, new dev.tailc.policy.TailTable()), controller, counters);
    }
    scales(null);
    if (box.formType() == Form.Plan) {
      return new Plan(in(box, new dev.tailc.policy.Plan()), counters);
    }
    if (box.formType() == Form.BudgetTable) {
      return new BudgetTable(in(box, new dev.tailc.policy.BudgetTable()));
    }
    return new Shares(in(box, new dev.tailc.policy.Shares()));
  }

  /** The form in a box, through an accessor of its type. */
  @SuppressWarnings("unchecked")
  private static <T extends Table> T in(FormBox box, T accessor) {
    return (T) box.form(accessor);
  }

  /** {@code actuator}: null for a form that no controller acts on. */
  private void scales(Controller.Actuator actuator) {
    require(
        controller == null || controller.actsOn() == actuator,
        "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table");
  }

  private final class Ladders {
    final List<Ladder> ladders;

    Ladders(dev.tailc.policy.Policy root, int count) {
      List<Ladder> found = new ArrayList<>();
      Set<Optional<String>> classes = new HashSet<>();
      for (int i = 0; i < count; ++i) {
        dev.tailc.policy.Ladder form = in(root.forms(i), new dev.tailc.policy.Ladder());
        found.add(new Ladder(form, controller, counters));
        boolean isNew = classes.add(found.get(i).requestClass());
        require(isNew, "two ladders have the same `request_class`");
      }
      ladders = Collections.unmodifiableList(found);
    }
  }
}
