package dev.tailc.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Events of servers, and the decisions of their schedules. */
final class ScheduleVectors {
  private final Schedule schedule;
  private final Map<Long, Request> requests = new HashMap<>();

  private ScheduleVectors(Policy policy) {
    schedule = new Schedule(policy, 0);
  }

  static Vectors.Asked events(Path path) throws IOException {
    return new ScheduleVectors(Policy.open(path))::answer;
  }

  private String[] answer(VectorFile.Row row) {
    long nowNs = row.whole("now_ns");
    List<String> made = new ArrayList<>();
    for (OptionalLong due = schedule.dueNs();
        due.isPresent() && due.getAsLong() < nowNs;
        due = schedule.dueNs()) {
      schedule.wake(due.getAsLong());
      take(due.getAsLong(), made);
    }
    String event = call(row, nowNs);
    take(nowNs, made);
    return new String[] {
      event + " " + String.join(";", made), row.texts("event", "work_ppm", "decisions")
    };
  }

  private String call(VectorFile.Row row, long nowNs) {
    String event = row.text("event");
    long number = row.whole("request");
    if (event.equals("exit")) {
      schedule.exit(requests.get(number), nowNs);
    } else if (event.equals("wake")) {
      schedule.wake(nowNs);
    } else {
      String name = row.text("request_class");
      Optional<Request> arrived = schedule.arrive(nowNs, name.isEmpty() ? null : name);
      arrived.ifPresent(request -> requests.put(number, request));
      return arrived.map(request -> "arrive " + request.workPpm()).orElse("refuse 1000000");
    }
    return event + " 1000000";
  }

  private void take(long nowNs, List<String> made) {
    for (Decision one : schedule.takeDecisions()) {
      String core = one.core() < 0 ? "" : " " + one.core();
      String rung = one.rung() + (one.isBoosted() ? " 1" : " 0") + core;
      made.add(nowNs + " " + one.kind().word() + " " + one.request().number() + " " + rung);
    }
  }
}
