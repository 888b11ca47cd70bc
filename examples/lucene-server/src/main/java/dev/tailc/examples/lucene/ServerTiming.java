package dev.tailc.examples.lucene;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * What the server says of a request: how long it waited and ran [ms], on how many threads, how long
 * before a second one joined [ms], and the CPU time of all [ms].
 */
final class ServerTiming {
  /** Where {@link #of} has the time that it ran, that before a second thread, and the CPU time. */
  static final int RUN = 1;

  static final int BEGIN = 3;
  static final int CPU = 4;

  static final List<String> NONE = List.of("", "", "", "", "");

  private ServerTiming() {}

  /** {@code wait;dur=A, run;dur=B, ...} as A, B, ...; empty texts where it is missing. */
  static List<String> of(HttpResponse<?> answer) {
    String header = answer.headers().firstValue("Server-Timing").orElse("");
    if (header.isEmpty()) {
      return NONE;
    }
    List<String> values = new ArrayList<>();
    for (String metric : header.split(", ")) {
      values.add(metric.substring(metric.indexOf('=') + 1));
    }
    return values;
  }
}
