package dev.tailc.examples.lucene;

/** What is wrong with what a person asked for, in one sentence. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
