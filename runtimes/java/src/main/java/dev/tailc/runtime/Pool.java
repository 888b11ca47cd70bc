package dev.tailc.runtime;

import java.util.OptionalLong;

/** Servers of which none is preferred. */
public final class Pool {
  public final String name;
  public final long servers;
  public final long busyMw;
  public final long asleepMw;
  public final long migrationMj;

  /** Empty: not stated. */
  public final OptionalLong racks;

  Pool(dev.tailc.policy.Pool form) {
    name = form.name();
    servers = form.servers();
    busyMw = form.busyMw();
    asleepMw = form.asleepMw();
    migrationMj = form.migrationMj();
    racks = form.hasRacks() ? OptionalLong.of(form.racks()) : OptionalLong.empty();
  }
}
