package dev.tailc.runtime;

/** What stores green energy that is left. */
public final class Battery {
  public final long capacityMj;
  public final long chargeMw;
  public final long dischargeMw;
  public final long keptPpm;
  public final long firstMj;

  Battery(dev.tailc.policy.Battery form) {
    capacityMj = form.capacityMj();
    chargeMw = form.chargeMw();
    dischargeMw = form.dischargeMw();
    keptPpm = form.keptPpm();
    firstMj = form.firstMj();
  }
}
