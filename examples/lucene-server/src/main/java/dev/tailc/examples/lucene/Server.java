package dev.tailc.examples.lucene;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.management.OperatingSystemMXBean;
import dev.tailc.runtime.Options;
import dev.tailc.runtime.PolicyException;
import dev.tailc.runtime.PolicyWatch;
import dev.tailc.runtime.Scheduler;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.FSDirectory;

/**
 * Searches over HTTP: {@code /search?q=WORDS}. {@code /metrics} has the counters of the scheduler,
 * {@code /stats} the CPU time of requests and of the server, and a POST to {@code /policy} opens the
 * policy's file again.
 *
 * <p>A request runs as the policy says, and one with {@code class=NAME} as the ladder of that class.
 */
final class Server {
  /** The name that the policy must be for. */
  static final String SERVICE = "lucene-server";

  private static final int MOST_THREADS = 64;

  private final SlicedSearcher searcher;
  private final Answers answers;
  private final PolicyWatch policy;
  private final Scheduler scheduler;

  static void run(Arguments arguments) throws IOException {
    PolicyWatch policy =
        PolicyWatch.open(Path.of(arguments.text("policy")), Options.none().service(SERVICE));
    DirectoryReader index = DirectoryReader.open(FSDirectory.open(Path.of(arguments.text("index"))));
    Server server = new Server(new SlicedSearcher(index), policy);
    // 0: any that is free.
    int port = arguments.optional("port").isPresent() ? arguments.count("port", 1) : 0;
    // Else the system holds an answer's body back until its head has been acknowledged.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    HttpServer http = HttpServer.create(here, 0);
    http.createContext("/search", server::search);
    http.createContext("/policy", server::reopen);
    http.createContext("/stats", server::stats);
    http.createContext("/metrics", server::metrics);
    http.setExecutor(Executors.newCachedThreadPool());
    http.start();
    System.out.println("port " + http.getAddress().getPort());
  }

  private Server(SlicedSearcher searcher, PolicyWatch policy) {
    this.searcher = searcher;
    this.policy = policy;
    scheduler = new Scheduler(policy, MOST_THREADS, unused -> {});
    answers = new Answers(searcher);
  }

  /** Running requests keep their policy; a file that is refused changes nothing. */
  private void reopen(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      send(exchange, 405, Answers.error("a policy is opened by POST"));
      return;
    }
    Optional<Exception> refusal = policy.check().why();
    if (refusal.isPresent()) {
      send(exchange, 409, Answers.error(refusal.get().getMessage()));
    } else {
      send(exchange, 200, "{}\n");
    }
  }

  private void search(HttpExchange exchange) throws IOException {
    try {
      Map<String, String> asked = parameters(exchange);
      if (!asked.containsKey("q")) {
        throw new UsageException("a query is missing: /search?q=WORDS");
      }
      Search search =
          new Search(searcher, asked.get("q"), (timing, found) -> answer(exchange, timing, found));
      scheduler
          .parallel(asked.get("class"), search)
          .whenComplete((nothing, failure) -> fail(exchange, failure));
    } catch (UsageException | PolicyException wrong) {
      send(exchange, 400, Answers.error(wrong.getMessage()));
    }
  }

  private void answer(HttpExchange exchange, Timing timing, TopDocs found) throws IOException {
    String body = answers.found(found);
    exchange.getResponseHeaders().set("Server-Timing", timing.header());
    try {
      send(exchange, 200, body);
    } catch (IOException gone) {
      // Whoever asked has left; nobody else is concerned.
      exchange.close();
    }
  }

  private static void fail(HttpExchange exchange, Throwable failure) {
    if (failure == null) {
      return;
    }
    try {
      int status = failure instanceof RejectedExecutionException ? 503 : 500;
      send(exchange, status, Answers.error("the search failed: " + failure));
    } catch (IOException gone) {
      exchange.close();
    }
  }

  private void metrics(HttpExchange exchange) throws IOException {
    send(exchange, 200, scheduler.metrics());
  }

  private void stats(HttpExchange exchange) throws IOException {
    OperatingSystemMXBean system =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    String text =
        String.format(
            Locale.ROOT,
            "{\"now_ns\": %d, \"request_cpu_ns\": %d, \"cpu_ns\": %d}%n",
            System.nanoTime(),
            Timing.allCpuNs(),
            system.getProcessCpuTime());
    send(exchange, 200, text);
  }

  private static Map<String, String> parameters(HttpExchange exchange) {
    Map<String, String> found = new HashMap<>();
    String query = exchange.getRequestURI().getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      String[] words = pair.split("=", 2);
      found.put(words[0], words.length == 1 ? "" : decoded(words[1]));
    }
    return found;
  }

  private static String decoded(String word) {
    try {
      return URLDecoder.decode(word, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException wrong) {
      throw new UsageException("`" + word + "` is not percent-encoded");
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    String type = text.startsWith("{") ? "application/json" : "text/plain";
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
