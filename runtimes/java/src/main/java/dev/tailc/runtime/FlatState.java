package dev.tailc.runtime;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.function.ObjLongConsumer;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The sealed FlatBuffer of a plan's state. */
final class FlatState {
  private static final String IDENTIFIER = "TLS1";
  private static final int IDENTIFIER_AT = 4;
  private static final long VERSION = 1;

  private FlatState() {}

  static PlanState read(byte[] bytes) {
    requireStructure(bytes.length <= Policy.MOST_BYTES,
        "the file is larger than the limit for a state");
    ByteBuffer payload = Seal.unsealed(bytes, Options.none()).payload;
    requireStructure(hasIdentifier(payload), "the FlatBuffer's identifier is not TLS1");
    new Structure(payload).checkRoot("PlanState");
    var root = dev.tailc.policy.PlanState.getRootAsPlanState(payload);
    requireStructure(root.version() == VERSION, "`version` of a state must be 1");
    return new PlanState(
        root.atUnixS(),
        root.decidedUnixS(),
        root.servers(),
        list(root.runningLength(), i -> job(root.running(i))),
        list(root.waitingLength(), root::waiting),
        list(root.refusedLength(), root::refused),
        optional(root.hasBatteryMj(), root.batteryMj()));
  }

  static byte[] write(PlanState state) {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int running = offsets(builder, state.running, job -> write(builder, job));
    int waiting = offsets(builder, state.waiting, builder::createString);
    int refused = offsets(builder, state.refused, builder::createString);
    dev.tailc.policy.PlanState.startPlanState(builder);
    dev.tailc.policy.PlanState.addVersion(builder, VERSION);
    dev.tailc.policy.PlanState.addAtUnixS(builder, state.atUnixS);
    dev.tailc.policy.PlanState.addDecidedUnixS(builder, state.decidedUnixS);
    dev.tailc.policy.PlanState.addServers(builder, state.servers);
    dev.tailc.policy.PlanState.addRunning(builder, running);
    dev.tailc.policy.PlanState.addWaiting(builder, waiting);
    dev.tailc.policy.PlanState.addRefused(builder, refused);
    add(builder, dev.tailc.policy.PlanState::addBatteryMj, state.batteryMj);
    builder.finish(dev.tailc.policy.PlanState.endPlanState(builder), IDENTIFIER);
    return Seal.sealed(builder.sizedByteArray());
  }

  private static boolean hasIdentifier(ByteBuffer payload) {
    return payload.limit() >= IDENTIFIER_AT + IDENTIFIER.length()
        && IntStream.range(0, IDENTIFIER.length())
            .allMatch(i -> payload.get(IDENTIFIER_AT + i) == IDENTIFIER.charAt(i));
  }

  private static void requireStructure(boolean holds, String otherwise) {
    if (!holds) {
      throw new PolicyException(Refusal.BAD_STRUCTURE, otherwise);
    }
  }

  private static BegunJob job(dev.tailc.policy.BegunJob job) {
    return new BegunJob(
        job.name(),
        optional(job.hasBegunUnixS(), job.begunUnixS()),
        list(job.serversLength(), job::servers),
        list(job.ranSLength(), i -> new RanSeconds(job.ranS(i).servers(), job.ranS(i).seconds())),
        job.greenSlots(),
        optional(job.hasMachines(), job.machines()));
  }

  private static OptionalLong optional(boolean isThere, long number) {
    return isThere ? OptionalLong.of(number) : OptionalLong.empty();
  }

  private static <T> List<T> list(int count, IntFunction<T> read) {
    return IntStream.range(0, count).mapToObj(read).collect(Collectors.toList());
  }

  private static int write(FlatBufferBuilder builder, BegunJob job) {
    int name = builder.createString(job.name);
    int servers = dev.tailc.policy.BegunJob.createServersVector(
        builder, job.servers.stream().mapToLong(Long::longValue).toArray());
    int ranS = offsets(builder, job.ranS, ran -> {
      dev.tailc.policy.RanSeconds.startRanSeconds(builder);
      dev.tailc.policy.RanSeconds.addServers(builder, ran.servers);
      dev.tailc.policy.RanSeconds.addSeconds(builder, ran.seconds);
      return dev.tailc.policy.RanSeconds.endRanSeconds(builder);
    });
    dev.tailc.policy.BegunJob.startBegunJob(builder);
    dev.tailc.policy.BegunJob.addName(builder, name);
    add(builder, dev.tailc.policy.BegunJob::addBegunUnixS, job.begunUnixS);
    dev.tailc.policy.BegunJob.addServers(builder, servers);
    dev.tailc.policy.BegunJob.addRanS(builder, ranS);
    dev.tailc.policy.BegunJob.addGreenSlots(builder, job.greenSlots);
    add(builder, dev.tailc.policy.BegunJob::addMachines, job.machines);
    return dev.tailc.policy.BegunJob.endBegunJob(builder);
  }

  /** Adds an optional number; the accessors of Java omit one that is 0 as if it were absent. */
  private static void add(
      FlatBufferBuilder builder, ObjLongConsumer<FlatBufferBuilder> add, OptionalLong number) {
    builder.forceDefaults(true);
    number.ifPresent(value -> add.accept(builder, value));
    builder.forceDefaults(false);
  }

  private static <T> int offsets(FlatBufferBuilder builder, List<T> parts, ToIntFunction<T> write) {
    return builder.createVectorOfTables(parts.stream().mapToInt(write).toArray());
  }
}
