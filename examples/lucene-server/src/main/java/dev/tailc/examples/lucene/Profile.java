package dev.tailc.examples.lucene;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Times every query on every number of threads, one request at a time, as whoever asks sees it. The
 * file has a row a timing, which is one of the shapes of a trace for tailc.
 */
final class Profile {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Queries queries;
  private final int degrees;

  private Profile(Queries queries, int degrees) {
    this.queries = queries;
    this.degrees = degrees;
  }

  static void run(Arguments arguments) throws IOException, InterruptedException {
    Profile profile = new Profile(new Queries(arguments), arguments.count("degrees", 2));
    profile.time(-1, null);
    Path out = Path.of(arguments.text("out"));
    try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(out))) {
      file.println("query,degree,duration_ms");
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
        double durationMs = time(queries.uri(number, Integer.toString(degree)));
        if (file != null) {
          file.printf(Locale.ROOT, "%d,%d,%.3f%n", number, degree, durationMs);
        }
      }
    }
  }

  private double time(URI uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    long beganNs = System.nanoTime();
    HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    long endedNs = System.nanoTime();
    if (answer.statusCode() != 200) {
      throw new IOException("the server answers " + answer.statusCode() + " to " + uri);
    }
    return (endedNs - beganNs) / 1e6;
  }
}
