package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The processors of a policy's cores, by core type, and what binds threads to them. */
final class CoreBinding {
  static final int NOWHERE = -1;

  /** For policies whose rungs are no cores. */
  static final CoreBinding NONE = new CoreBinding(Map.of(), null);

  private static final Path THIS_THREAD = Path.of("/proc/thread-self");

  // A thread keeps its number, and to read it takes some microseconds.
  private static final ThreadLocal<Integer> NUMBER =
      ThreadLocal.withInitial(CoreBinding::readNumber);

  final CoreBinder binder;
  private final Map<String, List<Integer>> processors;

  CoreBinding(Map<String, List<Integer>> processors, CoreBinder binder) {
    this.processors = Map.copyOf(processors);
    this.binder = binder;
  }

  /** Refuses a policy that needs other processors. */
  void check(Policy policy) {
    for (Ladder ladder : policy.ladders()) {
      if (ladder.cores().isPresent()) {
        check(ladder, ladder.cores().get());
      } else if (binder != null) {
        throw new ScheduleException("the rungs of the policy are not cores");
      }
    }
  }

  private void check(Ladder ladder, Cores cores) {
    if (binder == null) {
      throw new ScheduleException(
          "the rule `core-per-request` needs a server that places requests: give the scheduler"
              + " the processors and a `CoreBinder`");
    }
    for (int rung = 0; rung < cores.coreUnit.size(); ++rung) {
      RungSetting setting = ladder.settings().get(rung);
      String type = setting.coreType.orElseThrow(() -> new ScheduleException(
          "rung `" + setting.name + "` has no core type, so its processors are unknown"));
      long count = cores.coreCount.get(cores.coreUnit.get(rung));
      if (processors.getOrDefault(type, List.of()).size() < count) {
        throw new ScheduleException(
            "the policy needs " + count + " processors of core type `" + type + "`");
      }
    }
  }

  /** The processor of a request on its core. */
  int processorOf(Request request) {
    if (binder == null || request.core == CorePlaces.NOWHERE) {
      return NOWHERE;
    }
    String type = request.queue.ladder.settings().get(request.rung).coreType.orElseThrow();
    return processors.get(type).get(request.core);
  }

  /** The number of this thread in Linux. */
  static int thisThread() {
    return NUMBER.get();
  }

  private static int readNumber() {
    try {
      return Integer.parseInt(Files.readSymbolicLink(THIS_THREAD).getFileName().toString());
    } catch (IOException missing) {
      throw new ScheduleException("threads are bound only on Linux: there is no " + THIS_THREAD);
    }
  }
}
