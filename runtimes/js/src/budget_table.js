/** A budget table in memory: tokens of the next iteration of a language model's server. */

import { require, requireArguments } from "./errors.js";
import { ascends, countUpTo, neverFalls } from "./numbers.js";

const LARGEST_AMOUNT = 2 ** 26;
const LARGEST_NS = 2 ** 36;
const MOST_ROWS = 4_096;
const MOST_COLUMNS = 1_024;

export class BudgetTable {
  #firstWaiting;
  #firstDecoding;
  #rows;

  constructor(raw) {
    check(raw);
    this.kvBlocks = raw.engine.kv_blocks;
    this.blockTokens = raw.engine.block_tokens;
    this.maxSequences = raw.engine.max_sequences;
    this.#firstWaiting = raw.first_waiting;
    this.#firstDecoding = raw.rows.map((row) => row.first_decoding);
    this.#rows = raw.rows;
  }

  /** Negative numbers count as 0. */
  lookup(decoding, waitingTokens) {
    requireArguments(
      Number.isInteger(decoding) && Number.isInteger(waitingTokens),
      "the decoding sequences and the waiting tokens must be whole numbers",
    );
    const row = this.#rows[Math.max(countUpTo(this.#firstDecoding, decoding) - 1, 0)];
    const column = Math.max(countUpTo(this.#firstWaiting, waitingTokens) - 1, 0);
    return { budget: row.budgets[column], newSequences: row.new_sequences };
  }
}

function check({ first_waiting: columns, rows, engine }) {
  require(
    0 < columns.length && columns.length <= MOST_COLUMNS,
    "`first_waiting` must have 1 to 1024 columns",
  );
  require(columns[0] === 0 && ascends(columns), "`first_waiting` must ascend from 0");
  require(columns.at(-1) <= LARGEST_AMOUNT, "`first_waiting` must be at most 2^26");
  require(0 < rows.length && rows.length <= MOST_ROWS, "`rows` must have 1 to 4096 rows");
  const firsts = rows.map((row) => row.first_decoding);
  require(firsts[0] === 0 && ascends(firsts), "`first_decoding` must ascend from 0");
  require(firsts.at(-1) <= LARGEST_AMOUNT, "`first_decoding` must be at most 2^26");
  for (const { new_sequences: most, budgets } of rows) {
    require(most >= 0, "`new_sequences` must not be negative");
    require(
      budgets.length === columns.length,
      "`budgets` of a row must have a budget for each column",
    );
    require(
      budgets.every((budget) => 0 <= budget && budget <= LARGEST_AMOUNT),
      "`budgets` must be 0 to 2^26",
    );
  }
  require(
    rows[0].new_sequences > 0 && rows[0].budgets.every((budget) => budget > 0),
    "`budgets` and `new_sequences` of the first row must be above 0",
  );
  checkEngine(engine);
}

function checkEngine({ kv_blocks, block_tokens, max_sequences, step }) {
  const limits = [kv_blocks, block_tokens, max_sequences];
  require(
    limits.every((limit) => limit > 0),
    "`kv_blocks`, `block_tokens`, `max_sequences` must be above 0",
  );
  require(
    limits.every((limit) => limit <= LARGEST_AMOUNT) && kv_blocks * block_tokens <= LARGEST_AMOUNT,
    "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26",
  );
  const { fixed_ns: fixedNs } = step;
  require(0 < fixedNs && fixedNs <= LARGEST_NS, "`fixed_ns` must be 1 to 2^36");
  for (const name of ["tokens", "prompt", "decoding", "context"]) checkPart(step[name]);
}

function checkPart({ knots, time_ns: timeNs }) {
  require(knots.length === timeNs.length, "a knot must have a time, and no other");
  require(knots.length > 1, "`knots` must have at least two amounts");
  require(knots[0] === 0 && ascends(knots), "`knots` must ascend from 0");
  require(knots.at(-1) <= LARGEST_AMOUNT, "`knots` must be at most 2^26");
  require(
    timeNs[0] === 0 && neverFalls(timeNs),
    "`time_ns` must begin with 0 and not decrease",
  );
  require(timeNs.at(-1) <= LARGEST_NS, "`time_ns` must be at most 2^36");
}
