package dev.tailc.examples.lucene;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.management.OperatingSystemMXBean;
import dev.tailc.runtime.Ladder;
import dev.tailc.runtime.Options;
import dev.tailc.runtime.Policy;
import dev.tailc.runtime.PolicyException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.FSDirectory;

/**
 * Searches over HTTP: {@code /search?q=WORDS}; {@code /stats} tells what the server has done, and a
 * POST to {@code /policy} opens the policy's file again.
 *
 * <p>A request runs as the policy says. One with {@code threads=N} runs on so many threads from its
 * start, as one for a profile or a comparison does. Before the file is there, all run on one.
 */
final class Server {
  /** The name that the policy must be for. */
  static final String SERVICE = "lucene-server";

  private static final int MOST_THREADS = 64;

  private final SlicedSearcher searcher;
  private final Answers answers;
  private final Scheduler scheduler;
  private final Path policy;
  private volatile Ladder ladder;

  static void run(Arguments arguments) throws IOException {
    Path policy = Path.of(arguments.text("policy"));
    DirectoryReader index = DirectoryReader.open(FSDirectory.open(Path.of(arguments.text("index"))));
    ExecutorService threads = Executors.newCachedThreadPool();
    Server server = new Server(new SlicedSearcher(index), new Scheduler(threads, Clock.ofSystem()), policy);
    if (Files.exists(policy)) {
      server.open();
    }
    // 0: any that is free.
    int port = arguments.optional("port").isPresent() ? arguments.count("port", 1) : 0;
    // Else the system holds an answer's body back until its head has been acknowledged.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    HttpServer http = HttpServer.create(here, 0);
    http.createContext("/search", server::search);
    http.createContext("/policy", server::reopen);
    http.createContext("/stats", server::stats);
    http.setExecutor(threads);
    http.start();
    System.out.println("port " + http.getAddress().getPort());
  }

  private Server(SlicedSearcher searcher, Scheduler scheduler, Path policy) {
    this.searcher = searcher;
    this.scheduler = scheduler;
    this.policy = policy;
    answers = new Answers(searcher);
  }

  private void open() throws IOException {
    Ladder found = Policy.open(policy, Options.none().service(SERVICE)).ladder();
    Scheduler.check(found);
    ladder = found;
  }

  /** Requests that have arrived keep the policy that they met; one that is refused changes nothing. */
  private void reopen(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      send(exchange, 405, Answers.error("a policy is opened by POST"));
      return;
    }
    try {
      open();
      send(exchange, 200, "{}\n");
    } catch (PolicyException | UsageException | IOException refused) {
      send(exchange, 409, Answers.error(refused.getMessage()));
    }
  }

  private void search(HttpExchange exchange) throws IOException {
    long arrivedNs = System.nanoTime();
    try {
      Map<String, String> asked = parameters(exchange);
      if (!asked.containsKey("q")) {
        throw new UsageException("a query is missing: /search?q=WORDS");
      }
      Ladder now = ladder;
      Integer threads = threadsOf(asked, now == null ? 1 : null);
      Search search =
          new Search(searcher, asked.get("q"), (request, found, failure) ->
              answer(exchange, request, found, failure));
      scheduler.arrive(new Request(search, now, threads, arrivedNs));
    } catch (UsageException wrong) {
      send(exchange, 400, Answers.error(wrong.getMessage()));
    }
  }

  /** {@code otherwise}: of a request that does not say; null where the policy decides. */
  private static Integer threadsOf(Map<String, String> asked, Integer otherwise) {
    String word = asked.get("threads");
    if (word == null) {
      return otherwise;
    }
    if (!word.matches("[0-9]{1,2}") || Integer.parseInt(word) < 1
        || Integer.parseInt(word) > MOST_THREADS) {
      throw new UsageException("`threads=" + word + "` is not 1 to " + MOST_THREADS);
    }
    return Integer.parseInt(word);
  }

  private void answer(HttpExchange exchange, Request request, TopDocs found, Throwable failure) {
    try {
      if (failure != null) {
        send(exchange, 500, Answers.error("the search failed: " + failure));
        return;
      }
      String body = answers.found(found);
      long nowNs = System.nanoTime();
      String timing =
          String.format(
              Locale.ROOT,
              "wait;dur=%.3f, run;dur=%.3f, threads;desc=%d, begin;dur=%.3f, cpu;dur=%.3f",
              request.waitedUs() / 1e3,
              request.executedUs(nowNs) / 1e3,
              request.mostThreads,
              request.beginUs(nowNs) / 1e3,
              request.cpuUs() / 1e3);
      exchange.getResponseHeaders().set("Server-Timing", timing);
      send(exchange, 200, body);
    } catch (IOException gone) {
      // Whoever asked has left; nobody else is concerned.
      exchange.close();
    }
  }

  private void stats(HttpExchange exchange) throws IOException {
    OperatingSystemMXBean system =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    String text =
        String.format(
            Locale.ROOT,
            "{\"now_ns\": %d, \"left\": %d, \"in_system\": %d, \"request_cpu_ns\": %d, \"cpu_ns\": %d}%n",
            System.nanoTime(),
            scheduler.left(),
            scheduler.inSystem(),
            scheduler.cpuNs(),
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

  private static void send(HttpExchange exchange, int status, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
