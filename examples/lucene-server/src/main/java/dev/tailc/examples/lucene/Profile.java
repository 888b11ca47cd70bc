package dev.tailc.examples.lucene;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Times every query on every number of threads, one request at a time, with exponential gaps between
 * them: under a light load, too, caches have cooled when a request comes. The file has a row a timing,
 * which is one of the shapes of a trace for tailc: how long the request ran in the server, and how
 * long whoever asked waited for it.
 */
final class Profile {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Queries queries;
  private final int degrees;
  private final Random random;
  private final double gapMs;

  private Profile(Queries queries, int degrees, Random random, double gapMs) {
    this.queries = queries;
    this.degrees = degrees;
    this.random = random;
    this.gapMs = gapMs;
  }

  static void run(Arguments arguments) throws IOException, InterruptedException {
    Profile profile =
        new Profile(
            new Queries(arguments),
            arguments.count("degrees", 2),
            new Random(arguments.seed()),
            arguments.amount("gap-ms"));
    profile.time(-1, null);
    Path out = Path.of(arguments.text("out"));
    try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(out))) {
      file.println("query,degree,duration_ms,latency_ms,begin_ms,cpu_ms");
      for (int pass = 0; pass < arguments.count("repetitions", 3); ++pass) {
        profile.time(pass, file);
      }
    }
  }

  /** All queries once; degrees follow one another at once, so that what drifts meets all alike. */
  private void time(int pass, PrintWriter file) throws IOException, InterruptedException {
    for (int number : queries.numbers()) {
      for (int turn = 0; turn < degrees; ++turn) {
        int degree = 1 + Math.floorMod(turn + number / 2 + pass, degrees);
        URI uri = queries.uri(number, Integer.toString(degree));
        if (file == null) {
          time(uri);
        } else {
          pause();
          file.printf("%d,%d,%s%n", number, degree, time(uri));
        }
      }
    }
  }

  private void pause() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.round(-1e6 * gapMs * Math.log(1 - random.nextDouble())));
  }

  /** How long it ran, its answer took, and it ran on one thread at first, and its CPU time [ms]. */
  private String time(URI uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    long beganNs = System.nanoTime();
    HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    long endedNs = System.nanoTime();
    if (answer.statusCode() != 200) {
      throw new IOException("the server answers " + answer.statusCode() + " to " + uri);
    }
    List<String> timing = ServerTiming.of(answer);
    return String.format(
        Locale.ROOT,
        "%s,%.3f,%s,%s",
        timing.get(ServerTiming.RUN),
        (endedNs - beganNs) / 1e6,
        timing.get(ServerTiming.BEGIN),
        timing.get(ServerTiming.CPU));
  }
}
