package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import java.util.List;
import java.util.OptionalLong;

/** A job that runs, in the state of a plan. */
public final class BegunJob {
  public final String name;

  /** Empty: its log has its start. */
  public final OptionalLong begunUnixS;

  /** Numbers from 0, in ascending order. */
  public final List<Long> servers;

  /** In ascending order of the number of servers. */
  public final List<RanSeconds> ranS;

  /** Server-epochs that it has received on the green bus. */
  public final long greenSlots;

  /** Of a malleable job; empty: as many as it requests. */
  public final OptionalLong machines;

  public BegunJob(
      String name,
      OptionalLong begunUnixS,
      List<Long> servers,
      List<RanSeconds> ranS,
      long greenSlots,
      OptionalLong machines) {
    this.name = name;
    this.begunUnixS = begunUnixS;
    this.servers = List.copyOf(servers);
    this.ranS = List.copyOf(ranS);
    this.greenSlots = greenSlots;
    this.machines = machines;
    check();
  }

  private void check() {
    PlanState.checkName(name);
    long before = -1;
    for (long server : servers) {
      require(server > before,
          "`servers` of a job must be numbers from 0 in ascending order, at least one");
      before = server;
    }
    require(!servers.isEmpty(), "a job must have at least one server");
    long fewer = 0;
    for (RanSeconds ran : ranS) {
      require(ran.servers > fewer, "`ran_s` must be in order of the number of servers");
      fewer = ran.servers;
    }
    require(PlanState.isWhole(greenSlots), "`green_slots` of a job must be 0 to 2^53 - 1");
    long atLeastOne = machines.orElse(1);
    require(atLeastOne > 0 && PlanState.isWhole(atLeastOne), "`machines` must be 1 to 2^53 - 1");
  }

  /** Its start; if its log has that, the first that its run times allow. */
  long firstUnixS(long atUnixS) {
    return begunUnixS.orElseGet(
        () -> atUnixS - ranS.stream().mapToLong(ran -> ran.seconds).sum());
  }
}
