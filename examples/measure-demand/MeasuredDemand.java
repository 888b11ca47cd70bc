import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes what each request takes of its thread's CPU, as a CSV for tailc. Of a servlet's filter:
 *
 * <pre>public void doFilter(...) { demands.measure(() -> chain.doFilter(request, response)); }</pre>
 *
 * It needs platform threads: virtual ones share the clock of their carrier.
 */
final class MeasuredDemand {
  /** What handles a request. */
  interface Handler<E extends Exception> {
    void handle() throws E;
  }

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final PrintWriter file;

  MeasuredDemand(Path path) throws IOException {
    Writer appended = Files.newBufferedWriter(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    file = new PrintWriter(appended, true); // synchronized, and flushed a line
    if (Files.size(path) == 0) {
      file.println("demand_us");
    }
  }

  <E extends Exception> void measure(Handler<E> handler) throws E {
    long beganNs = threads.getCurrentThreadCpuTime();
    try {
      handler.handle();
    } finally {
      long demandUs = (threads.getCurrentThreadCpuTime() - beganNs) / 1000;
      file.println(Math.max(demandUs, 1)); // a trace has no demand of 0
    }
  }
}
