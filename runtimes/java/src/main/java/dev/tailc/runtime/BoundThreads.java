package dev.tailc.runtime;

import java.util.HashSet;
import java.util.Set;

/** The threads that work for one request, on the processor of its core. */
final class BoundThreads {
  private final CoreBinder binder;
  private final Set<Integer> numbers = new HashSet<>();
  private int bound = CoreBinding.NOWHERE;

  /** Where they have to be. A scheduler sets it, and then calls {@link #move}. */
  volatile int processor = CoreBinding.NOWHERE;

  /** A null binder binds none. */
  BoundThreads(CoreBinder binder) {
    this.binder = binder;
  }

  /** Runs the work in this thread. */
  void run(Runnable work) {
    if (binder == null) {
      work.run();
      return;
    }
    int number = CoreBinding.thisThread();
    join(number);
    try {
      work.run();
    } finally {
      leave(number);
    }
  }

  private synchronized void join(int number) {
    numbers.add(number);
    bind(number, processor);
  }

  private synchronized void leave(int number) {
    numbers.remove(number);
  }

  /** Moves all of them if the processor is another one. */
  synchronized void move() {
    int next = processor;
    if (next != bound) {
      bound = next;
      numbers.forEach(number -> bind(number, next));
    }
  }

  /** A thread that cannot be bound stays where it is; the handler of uncaught exceptions gets why. */
  private void bind(int number, int next) {
    try {
      if (next != CoreBinding.NOWHERE) {
        binder.bind(number, next);
      }
    } catch (RuntimeException why) {
      Scheduler.passOn(why);
    }
  }
}
