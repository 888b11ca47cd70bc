package dev.tailc.examples.lucene;

import java.io.IOException;

/** What a request does: pieces, in any order, any number of them at once. */
interface Work {
  /** What comes before the pieces; how many there are. */
  int begin() throws IOException;

  /** Does a piece, which no other thread is given. */
  void piece(int number) throws IOException;

  /** Answers, after all pieces; {@code failure} is null where nothing failed. */
  void end(Request request, Throwable failure);
}
