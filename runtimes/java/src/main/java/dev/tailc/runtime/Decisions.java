package dev.tailc.runtime;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;

/** Decisions in order, which are used again after they are cleared. */
final class Decisions extends AbstractList<Decision> implements RandomAccess {
  private final List<Decision> made = new ArrayList<>();
  private int size;

  void add(Decision.Kind kind, Request request) {
    if (size == made.size()) {
      made.add(new Decision());
    }
    made.get(size++).set(kind, request);
  }

  @Override
  public void clear() {
    size = 0;
  }

  @Override
  public Decision get(int number) {
    return made.get(number);
  }

  @Override
  public int size() {
    return size;
  }
}
