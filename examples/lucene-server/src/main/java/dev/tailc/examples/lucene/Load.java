package dev.tailc.examples.lucene;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Sends queries at times that do not depend on the answers, with exponential gaps. A latency lasts
 * from the time at which a request should have been sent, so none is left out because others were
 * late.
 */
final class Load {
  private static final int DIGITS = 3;
  private static final long LONGEST_US = 3_600_000_000L;

  /** What became of a request; times in microseconds, {@code dueUs} since the first one could come. */
  private static final class Sent {
    final int query;
    final long dueUs;
    long lateUs;
    long latencyUs;
    int status;
    String timing = "";

    Sent(int query, long dueUs) {
      this.query = query;
      this.dueUs = dueUs;
    }
  }

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Queries queries;
  private final String threads;

  private Load(Queries queries, String threads) {
    this.queries = queries;
    this.threads = threads;
  }

  static void run(Arguments arguments) throws IOException, InterruptedException {
    Queries queries = new Queries(arguments);
    List<Sent> plan = plan(queries, arguments);
    new Load(queries, arguments.optional("threads").orElse(null)).send(plan);
    write(plan, arguments.text("out"));
  }

  /** Passes over the queries, each in an order of its own, so that every one comes equally often. */
  private static List<Sent> plan(Queries queries, Arguments arguments) {
    Random random = new Random(arguments.seed());
    double gapUs = 1e6 / arguments.amount("rate");
    double endUs = 1e6 * arguments.amount("seconds");
    List<Integer> order = new ArrayList<>(queries.numbers());
    List<Sent> plan = new ArrayList<>();
    for (double dueUs = gap(random, gapUs); dueUs < endUs; dueUs += gap(random, gapUs)) {
      int place = plan.size() % order.size();
      if (place == 0) {
        Collections.shuffle(order, random);
      }
      plan.add(new Sent(order.get(place), Math.round(dueUs)));
    }
    if (plan.isEmpty()) {
      throw new UsageException("no request comes in `" + arguments.text("seconds") + "` s");
    }
    return plan;
  }

  private static double gap(Random random, double meanUs) {
    return -meanUs * Math.log(1 - random.nextDouble());
  }

  private void send(List<Sent> plan) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    long firstNs = System.nanoTime();
    for (Sent sent : plan) {
      long dueNs = firstNs + 1_000 * sent.dueUs;
      HttpRequest request = HttpRequest.newBuilder(queries.uri(sent.query, threads)).build();
      for (long leftNs = 1; leftNs > 0; leftNs = dueNs - System.nanoTime()) {
        LockSupport.parkNanos(dueNs - System.nanoTime());
      }
      sent.lateUs = (System.nanoTime() - dueNs) / 1_000;
      answers.add(
          client
              .sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
              .handle((answer, failure) -> note(sent, dueNs, answer)));
    }
    answers.forEach(CompletableFuture::join);
  }

  /** {@code answer}: null where there is none. */
  private static Sent note(Sent sent, long dueNs, HttpResponse<byte[]> answer) {
    sent.latencyUs = (System.nanoTime() - dueNs) / 1_000;
    if (answer != null) {
      sent.status = answer.statusCode();
      sent.timing = answer.headers().firstValue("Server-Timing").orElse("");
    }
    return sent;
  }

  private static void write(List<Sent> plan, String stem) throws IOException {
    Histogram latencies = new Histogram(LONGEST_US, DIGITS);
    try (PrintWriter rows = new PrintWriter(Files.newBufferedWriter(Path.of(stem + ".csv")))) {
      rows.println("query,due_us,late_us,latency_us,status,wait_ms,run_ms,threads");
      for (Sent sent : plan) {
        latencies.recordValue(Math.min(sent.latencyUs, LONGEST_US));
        rows.printf(
            Locale.ROOT,
            "%d,%d,%d,%d,%d,%s%n",
            sent.query,
            sent.dueUs,
            sent.lateUs,
            sent.latencyUs,
            sent.status,
            timing(sent.timing));
      }
    }
    try (PrintStream log = new PrintStream(stem + ".hlog", "UTF-8")) {
      HistogramLogWriter writer = new HistogramLogWriter(log);
      writer.outputLogFormatVersion();
      writer.outputLegend();
      writer.outputIntervalHistogram(latencies);
    }
  }

  /** {@code wait;dur=A, run;dur=B, threads;desc=C} as {@code A,B,C}. */
  private static String timing(String header) {
    if (header.isEmpty()) {
      return ",,";
    }
    List<String> values = new ArrayList<>();
    for (String metric : header.split(", ")) {
      values.add(metric.substring(metric.indexOf('=') + 1));
    }
    return String.join(",", values);
  }
}
