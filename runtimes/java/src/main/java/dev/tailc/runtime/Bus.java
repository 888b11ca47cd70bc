package dev.tailc.runtime;

/** Which energy a pool draws; MIXED: there is one bus. */
public enum Bus {
  GREEN,
  BROWN,
  MIXED
}
