package dev.tailc.examples.lucene;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** What the server says of a request: how long it waited and ran [ms], and on how many threads. */
final class ServerTiming {
  /** Where {@link #of} has the time that it ran. */
  static final int RUN = 1;

  private ServerTiming() {}

  /** {@code wait;dur=A, run;dur=B, threads;desc=C} as A, B and C; empty texts where it is missing. */
  static List<String> of(HttpResponse<?> answer) {
    String header = answer.headers().firstValue("Server-Timing").orElse("");
    if (header.isEmpty()) {
      return List.of("", "", "");
    }
    List<String> values = new ArrayList<>();
    for (String metric : header.split(", ")) {
      values.add(metric.substring(metric.indexOf('=') + 1));
    }
    return values;
  }
}
