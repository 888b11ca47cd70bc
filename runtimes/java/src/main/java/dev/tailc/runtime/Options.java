package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks of a policy when it is opened; each method returns options with a further check. */
public final class Options {
  private static final Options NONE =
      new Options(Collections.emptyList(), null, OptionalLong.empty(), null, OptionalLong.empty());

  private final List<TrustedKey> keys;
  private final String service;
  private final OptionalLong heldGeneration;
  private final Counters counters;
  private final OptionalLong nowUnixS;

  private Options(
      List<TrustedKey> keys,
      String service,
      OptionalLong heldGeneration,
      Counters counters,
      OptionalLong nowUnixS) {
    this.keys = keys;
    this.service = service;
    this.heldGeneration = heldGeneration;
    this.counters = counters;
    this.nowUnixS = nowUnixS;
  }

  /** Only that it is undamaged and valid. */
  public static Options none() {
    return NONE;
  }

  /**
   * A signature by this key, or another one that is trusted.
   *
   * @param pem an Ed25519 public key as {@code openssl pkey -pubout} writes it
   * @throws IllegalArgumentException if it is no such text
   */
  public Options trusting(String pem) {
    List<TrustedKey> more = new ArrayList<>(keys);
    more.add(new TrustedKey(pem));
    return new Options(
        Collections.unmodifiableList(more), service, heldGeneration, counters, nowUnixS);
  }

  /** The name of the service that it is for. */
  public Options service(String name) {
    return new Options(keys, name, heldGeneration, counters, nowUnixS);
  }

  /** A generation that is not below that of the policy held, whose counters go on. */
  public Options held(Policy policy) {
    OptionalLong generation = OptionalLong.of(policy.generation());
    return new Options(keys, service, generation, policy.counters(), nowUnixS);
  }

  /** A generation that is not below this one. */
  public Options heldGeneration(long generation) {
    return new Options(keys, service, OptionalLong.of(generation), counters, nowUnixS);
  }

  /** Another clock than the system's, for the expiry of signatures. */
  public Options now(long unixS) {
    return new Options(keys, service, heldGeneration, counters, OptionalLong.of(unixS));
  }

  List<TrustedKey> keys() {
    return keys;
  }

  long nowUnixS() {
    return nowUnixS.orElseGet(() -> System.currentTimeMillis() / 1_000);
  }

  /** The counters of the policy held. */
  Optional<Counters> counters() {
    return Optional.ofNullable(counters);
  }

  /** Called after all other checks of the policy. */
  void check(Policy policy) {
    if (service != null && !service.equals(policy.name())) {
      throw new PolicyException(
          Refusal.OTHER_SERVICE,
          "the policy is for `" + policy.name() + "`, not `" + service + "`");
    }
    if (heldGeneration.isPresent() && policy.generation() < heldGeneration.getAsLong()) {
      throw new PolicyException(
          Refusal.OLDER_GENERATION,
          "generation `" + policy.generation() + "` is older than the one in use");
    }
  }
}
