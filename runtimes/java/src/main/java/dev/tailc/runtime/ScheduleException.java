package dev.tailc.runtime;

/** A policy that a {@link Schedule} cannot apply. */
public final class ScheduleException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ScheduleException(String why) {
    super(why);
  }
}
