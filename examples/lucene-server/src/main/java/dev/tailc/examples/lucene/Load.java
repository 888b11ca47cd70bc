package dev.tailc.examples.lucene;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
  private static final double US_PER_MS = 1e3;
  private static final int WARM_UPS = 500;
  private static final int CONNECTIONS = 8;

  /** What became of a request; times in microseconds, {@code dueUs} since the first one could come. */
  private static final class Sent {
    final int query;
    final long dueUs;
    long lateUs;
    long latencyUs;
    int status;
    List<String> timing = ServerTiming.NONE;

    Sent(int query, long dueUs) {
      this.query = query;
      this.dueUs = dueUs;
    }
  }

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Queries queries;
  private final String requestClass;

  private Load(Queries queries, String requestClass) {
    this.queries = queries;
    this.requestClass = requestClass;
  }

  static void run(Arguments arguments) throws IOException, InterruptedException {
    Queries queries = new Queries(arguments);
    List<Sent> plan = plan(queries, arguments);
    Load load = new Load(queries, arguments.optional("class").orElse(null));
    load.warmUp();
    Histogram latencies = new Histogram(LONGEST_US, DIGITS);
    latencies.setStartTimeStamp(System.currentTimeMillis());
    List<String> stats = load.sendAndSample(plan);
    latencies.setEndTimeStamp(System.currentTimeMillis());
    plan.forEach(sent -> latencies.recordValue(Math.min(sent.latencyUs, LONGEST_US)));
    String out = arguments.text("out");
    writeRows(plan, Path.of(out + ".csv"));
    writeLog(latencies, out + ".hlog");
    Files.write(Path.of(out + ".stats.ndjson"), stats);
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

  /** Asks for what costs the server nothing, until what sends requests has been compiled. */
  private void warmUp() throws IOException {
    HttpRequest request = HttpRequest.newBuilder(queries.stats()).build();
    for (int pass = 0; pass < WARM_UPS; ++pass) {
      List<CompletableFuture<?>> answers = new ArrayList<>();
      for (int one = 0; one < CONNECTIONS; ++one) {
        answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()));
      }
      try {
        answers.forEach(CompletableFuture::join);
      } catch (CompletionException failed) {
        throw new IOException("the server does not answer: " + failed.getCause());
      }
    }
  }

  /** What the server says of itself before, once a second, and after the last answer. */
  private List<String> sendAndSample(List<Sent> plan) throws InterruptedException {
    List<String> stats = new ArrayList<>();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    clock.scheduleAtFixedRate(() -> stats.add(stats()), 0, 1, TimeUnit.SECONDS);
    try {
      send(plan);
    } finally {
      clock.shutdown();
      clock.awaitTermination(1, TimeUnit.MINUTES);
    }
    stats.add(stats());
    return stats;
  }

  private String stats() {
    HttpRequest request = HttpRequest.newBuilder(queries.stats()).build();
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().body().strip();
  }

  private void send(List<Sent> plan) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    long firstNs = System.nanoTime();
    for (Sent sent : plan) {
      long dueNs = firstNs + 1_000 * sent.dueUs;
      HttpRequest request = HttpRequest.newBuilder(queries.uri(sent.query, requestClass)).build();
      long leftNs;
      while ((leftNs = dueNs - System.nanoTime()) > 0) {
        LockSupport.parkNanos(leftNs);
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
      sent.timing = ServerTiming.of(answer);
    }
    return sent;
  }

  private static void writeRows(List<Sent> plan, Path path) throws IOException {
    try (PrintWriter rows = new PrintWriter(Files.newBufferedWriter(path))) {
      rows.println("query,due_us,late_us,latency_us,status,wait_ms,run_ms,threads,begin_ms,cpu_ms");
      for (Sent sent : plan) {
        rows.printf(
            Locale.ROOT,
            "%d,%d,%d,%d,%d,%s%n",
            sent.query,
            sent.dueUs,
            sent.lateUs,
            sent.latencyUs,
            sent.status,
            String.join(",", sent.timing));
      }
    }
  }

  private static void writeLog(Histogram latencies, String path) throws IOException {
    try (PrintStream log = new PrintStream(path, StandardCharsets.UTF_8)) {
      HistogramLogWriter writer = new HistogramLogWriter(log);
      writer.outputComment("[Latencies from the intended start, in us; largest in ms]");
      writer.outputLogFormatVersion();
      writer.outputLegend();
      writer.outputIntervalHistogram(
          latencies.getStartTimeStamp() / 1e3,
          latencies.getEndTimeStamp() / 1e3,
          latencies,
          US_PER_MS);
    }
  }
}
