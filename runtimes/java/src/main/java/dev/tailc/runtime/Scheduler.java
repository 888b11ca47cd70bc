package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs parallel requests on as many threads as their policy gives them: {@link #parallel} takes the
 * parts of a request, and an executed task is a request of one part. For any number of threads.
 */
public final class Scheduler extends AbstractExecutorService implements AutoCloseable {
  /** Why no request is boosted. */
  public static final String WHY_NO_BOOST = "Java does not set the priority of threads on Linux";

  private static final long FOLLOW_NS = 1_000_000_000;

  private final Supplier<Policy> current;
  private final Consumer<Policy> onReload;
  private final Executor pool;
  private final LongSupplier clock;
  private final CoreBinding binding;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Request, ParallelTask<?, ?>> tasks = new HashMap<>();
  private final Schedule schedule;
  private volatile DemandLog log;
  private Policy policy;
  private long reloadedNs;
  private long alarmNs;
  private boolean isShutdown;

  /**
   * Applies a policy.
   *
   * @param threads of all requests together
   * @throws ScheduleException for a policy that needs another server
   */
  public Scheduler(Policy policy, int threads) {
    this(() -> policy, unused -> {}, threads, CoreBinding.NONE);
  }

  /**
   * Applies a policy whose rungs are cores: threads run on the processors of their requests' cores.
   *
   * @param threads of all requests together, at least as many as the policy has cores
   * @param processors numbers of processors by core type
   * @throws ScheduleException for a policy that needs others
   */
  public Scheduler(
      Policy policy, int threads, Map<String, List<Integer>> processors, CoreBinder binder) {
    this(() -> policy, unused -> {}, threads, new CoreBinding(processors, binder));
  }

  /**
   * Applies a watched policy and follows it.
   *
   * @param onReload gets each new policy, under the lock of the scheduler, so it must not wait; the
   *     handler of uncaught exceptions gets what it throws
   */
  public Scheduler(PolicyWatch watch, int threads, Consumer<Policy> onReload) {
    this(watch::current, onReload, threads, CoreBinding.NONE);
  }

  /** Applies a watched policy whose rungs are cores, and follows it. */
  public Scheduler(
      PolicyWatch watch,
      int threads,
      Consumer<Policy> onReload,
      Map<String, List<Integer>> processors,
      CoreBinder binder) {
    this(watch::current, onReload, threads, new CoreBinding(processors, binder));
  }

  private Scheduler(
      Supplier<Policy> current, Consumer<Policy> onReload, int threads, CoreBinding binding) {
    this(current, onReload, Executors.newFixedThreadPool(threads, Scheduler::daemon),
        System::nanoTime, binding);
    daemon(this::keepTime).start();
  }

  /** Without a thread for timers: {@code wake} is called instead. */
  Scheduler(
      Supplier<Policy> current,
      Consumer<Policy> onReload,
      Executor pool,
      LongSupplier clock,
      CoreBinding binding) {
    this.current = current;
    this.onReload = onReload;
    this.pool = pool;
    this.clock = clock;
    this.binding = binding;
    policy = current.get();
    binding.check(policy);
    reloadedNs = clock.getAsLong();
    schedule = new Schedule(policy, reloadedNs);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "tailc");
    thread.setDaemon(true);
    return thread;
  }

  /** Runs the parts of a request of all classes; see the other methods. */
  public <T> CompletableFuture<List<T>> parallel(Collection<? extends Callable<T>> parts) {
    return parallel(null, parts);
  }

  /**
   * Runs the parts of a request of a class on as many threads as it has at its age. The results are
   * in the order in which parts end. A request that is cut off has those of the parts that ended. A
   * refused request fails with RejectedExecutionException, and others with what a part threw.
   */
  public <T> CompletableFuture<List<T>> parallel(
      String requestClass, Collection<? extends Callable<T>> parts) {
    return parallel(requestClass, ParallelWork.of(parts));
  }

  /** The same for work that begins and ends on one thread; null is the class of all classes. */
  public <T, R> CompletableFuture<R> parallel(String requestClass, ParallelWork<T, R> work) {
    try {
      return admit(requestClass, work);
    } catch (RejectedExecutionException why) {
      CompletableFuture<R> refused = new CompletableFuture<>();
      refused.completeExceptionally(why);
      return refused;
    }
  }

  /** As {@link #parallel}, but throws RejectedExecutionException. */
  private <T, R> CompletableFuture<R> admit(String requestClass, ParallelWork<T, R> work) {
    Request[] request = new Request[1];
    ParallelTask<T, R> task =
        new ParallelTask<>(
            work, pool, () -> exit(request[0]), log != null, binding.binder);
    call(
        nowNs -> {
          if (isShutdown) {
            throw new RejectedExecutionException("the scheduler is shut down");
          }
          request[0] = schedule.arrive(nowNs, requestClass).orElseThrow(Scheduler::refusal);
          tasks.put(request[0], task);
          return null;
        });
    return task.future;
  }

  private static RejectedExecutionException refusal() {
    return new RejectedExecutionException(
        "the policy refuses the request: too many others are in the system");
  }

  /**
   * Runs a request of one part. The handler of uncaught exceptions gets what it throws; a future
   * that is cut off before it runs is cancelled.
   */
  @Override
  public void execute(Runnable work) {
    admit(null, ParallelWork.of(List.of(Executors.callable(work))))
        .whenComplete(
            (results, thrown) -> {
              if (thrown != null) {
                passOn(thrown);
              } else if (results.isEmpty() && work instanceof Future) {
                ((Future<?>) work).cancel(false);
              }
            });
  }

  /**
   * The log gets the processor time of each request that arrives from now on and does not fail, and its
   * times if the log has them. In a log with classes, a request without one has the empty class. The handler of uncaught exceptions
   * gets what the log throws.
   */
  public Scheduler logTo(DemandLog log) {
    this.log = log;
    return this;
  }

  /** Counters and gauges as OpenMetrics text. */
  public String metrics() {
    lock.lock();
    try {
      return ScheduleMetrics.text(schedule, clock.getAsLong() - reloadedNs);
    } finally {
      lock.unlock();
    }
  }

  /** Handles all timers that are due. */
  void wake() {
    call(
        nowNs -> {
          OptionalLong due = schedule.dueNs();
          while (due.isPresent() && due.getAsLong() <= nowNs) {
            schedule.wake(nowNs);
            due = schedule.dueNs();
          }
          return null;
        });
  }

  private void exit(Request request) {
    ParallelTask<?, ?>[] task = new ParallelTask<?, ?>[1];
    RequestTimes[] times = new RequestTimes[1];
    String requestClass = request.requestClass == null ? "" : request.requestClass;
    call(
        nowNs -> {
          task[0] = tasks.remove(request);
          times[0] = task[0].isMeasured ? request.times(nowNs, task[0].workedNs()) : null;
          schedule.exit(request, nowNs);
          return null;
        });
    if (task[0].isMeasured && !task[0].hasFailed()) {
      log(requestClass, task[0].usedNs() / 1_000, times[0]);
    }
  }

  private void log(String requestClass, long usedUs, RequestTimes times) {
    try {
      String logged = log.hasClasses() ? requestClass : null;
      log.record(usedUs, logged, log.hasTimes() ? times : null);
    } catch (RuntimeException unwritten) {
      passOn(unwritten);
    }
  }

  /** What is to be done at a time. */
  private interface Call<R> {
    R at(long nowNs);
  }

  /** Calls the schedule, and then carries out its decisions without the lock. */
  private <R> R call(Call<R> what) {
    List<ParallelTask<?, ?>> affected = new ArrayList<>();
    lock.lock();
    try {
      return what.at(follow());
    } finally {
      for (Decision decision : schedule.takeDecisions()) {
        ParallelTask<?, ?> task = tasks.get(decision.request());
        boolean isCut = decision.kind() == Decision.Kind.CUT_OFF;
        task.threads.processor = binding.processorOf(decision.request());
        task.allowed = isCut ? 0 : decision.request().threads();
        affected.add(task);
      }
      OptionalLong due = schedule.dueNs();
      if (isShutdown || (due.isPresent() && due.getAsLong() < alarmNs)) {
        changed.signalAll();
      }
      lock.unlock();
      affected.forEach(ParallelTask::grow);
    }
  }

  /** The time; first uses the policy that has replaced the one in use, if any. */
  private long follow() {
    long nowNs = clock.getAsLong();
    if (current.get() != policy) {
      policy = current.get();
      try {
        binding.check(policy);
        schedule.reload(policy, nowNs);
        reloadedNs = nowNs;
      } catch (ScheduleException | PolicyException why) {
        policy.counters().countNoSchedule();
        return nowNs;
      }
      callBack();
    }
    return nowNs;
  }

  private void callBack() {
    try {
      onReload.accept(policy);
    } catch (RuntimeException thrown) {
      passOn(thrown);
    }
  }

  static void passOn(Throwable thrown) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
  }

  /** Handles timers until the last request has left after a shutdown; then the pool ends. */
  private void keepTime() {
    while (!isTerminated()) {
      wake();
      lock.lock();
      try {
        long nowNs = clock.getAsLong();
        alarmNs = Math.min(schedule.dueNs().orElse(Long.MAX_VALUE), nowNs + FOLLOW_NS);
        if (alarmNs > nowNs) {
          changed.awaitNanos(alarmNs - nowNs);
        }
      } catch (InterruptedException end) {
        return;
      } finally {
        lock.unlock();
      }
    }
    ((ExecutorService) pool).shutdown();
  }

  @Override
  public void shutdown() {
    lock.lock();
    try {
      isShutdown = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The same as shutdown: requests in the system end by themselves. */
  @Override
  public List<Runnable> shutdownNow() {
    shutdown();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    lock.lock();
    try {
      return isShutdown;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isTerminated() {
    lock.lock();
    try {
      return isShutdown && schedule.inSystem() == 0;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    long leftNs = unit.toNanos(timeout);
    lock.lock();
    try {
      while (!(isShutdown && schedule.inSystem() == 0) && leftNs > 0) {
        leftNs = changed.awaitNanos(leftNs);
      }
      return isShutdown && schedule.inSystem() == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all requests have ended. */
  @Override
  public void close() {
    shutdown();
    try {
      awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
