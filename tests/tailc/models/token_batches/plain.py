"""A plain twin of the engine of token batches: lists, sums over all sequences, no counters."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailc.forms.budget_table import BudgetTable, allowance
from tailc.forms.step_times import step_ns
from tailc.models.token_batches.arrays import NEVER


@dataclass
class Sequence:
    """A request; `cache` is the number of its tokens whose keys and values are computed."""

    arrival: int
    prompt: int
    output: int
    cached: int
    priority: int = 0
    cache: int = 0
    needed: int = 0
    times: list[int] = field(default_factory=list)

    def __post_init__(self):
        self.needed = self.prompt

    @property
    def rank(self):
        return self.priority, self.arrival

    @property
    def decodes(self):
        return self.cache >= self.needed

    def blocks(self, size, more=0):
        return -(-(self.cache + more) // size)


class PlainServer:
    def __init__(
        self, table: BudgetTable, sequences, prompts_first=False, limit_ns=0, gap_tokens=NEVER
    ):
        self.limit_ns, self.gap_tokens = limit_ns, gap_tokens
        self.table, self.engine = table, table.engine
        self.coming = list(sequences)
        self.waiting, self.running, self.ended = [], [], []
        self.prompts_first = prompts_first
        self.now = self.preemptions = 0
        self.steps = []
        self.owned = {}

    def free(self):
        return self.engine.kv_blocks - sum(self.owned.values())

    def left_to_compute(self):
        started = sum(one.needed - one.cache for one in self.running if not one.decodes)
        return started + sum(one.needed - one.cached for one in self.waiting)

    def run(self):
        while self.coming or self.waiting or self.running:
            while self.coming and self.coming[0].arrival <= self.now:
                self.waiting.append(self.coming.pop(0))
                self.waiting.sort(key=lambda one: one.rank)
            if not self.waiting and not self.running:
                self.now = self.coming[0].arrival
                continue
            self.iterate()
        return self

    def iterate(self):
        waits, self.earlier = self.left_to_compute(), self.preemptions
        cell = allowance(self.table, sum(one.decodes for one in self.running), waits)
        pauses = self.prompts_first and waits > 0
        decoding = [] if pauses else self.decode()
        context = sum(one.cache for one in decoding)
        most = self.within(cell.budget - len(decoding), decoding, 0 if pauses else context)
        chunks = self.prompts(most, cell.new_sequences)
        decoding = [one for one in decoding if one in self.running]
        context = sum(one.cache for one in decoding)
        context += sum(before for _one, before, _chunk in chunks)
        if pauses and not chunks:
            decoding = self.decode()
            context = sum(one.cache for one in decoding)
        tokens = sum(chunk for _one, _before, chunk in chunks)
        assert decoding or tokens
        self.now += step_ns(self.engine.step, tokens, len(decoding), context)
        self.steps.append([tokens, len(decoding), context])
        for one in decoding:
            one.cache += 1
        for one in (*decoding, *(one for one, _, _ in chunks if one.decodes)):
            one.times.append(self.now)
        for one in [one for one in self.running if len(one.times) == one.output]:
            self.running.remove(one)
            self.ended.append(one)
            del self.owned[id(one)]

    def within(self, most, decoding, context):
        enough = self.left_to_compute() >= self.gap_tokens * len(decoding)
        if not self.limit_ns or not decoding or enough:
            return most
        context += sum(one.cache for one in self.running if not one.decodes)
        most = min(most, self.left_to_compute())
        while most > 0 and self.limit_ns < step_ns(self.engine.step, most, len(decoding), context):
            most -= 1
        return most

    def decode(self):
        taken = []
        for one in list(self.running):
            if one not in self.running or not one.decodes:
                continue
            needed = one.blocks(self.engine.block_tokens, 1)
            while one in self.running and needed > self.owned[id(one)] + self.free():
                self.preempt()
            if one in self.running:
                self.owned[id(one)] = max(needed, self.owned[id(one)])
                taken.append(one)
        return [one for one in taken if one in self.running]

    def preempt(self):
        last = max(self.running, key=lambda one: one.rank)
        self.running.remove(last)
        self.preemptions += 1
        self.owned.pop(id(last))
        last.cache, last.needed = 0, last.prompt + len(last.times)
        self.waiting.append(last)
        self.waiting.sort(key=lambda one: one.rank)

    def prompts(self, budget, starts):
        chunks = []
        for one in [one for one in self.running if not one.decodes]:
            chunk = max(min(budget, one.needed - one.cache), 0)
            needed = one.blocks(self.engine.block_tokens, chunk)
            while chunk and one in self.running and needed > self.owned[id(one)] + self.free():
                self.preempt()
            budget -= self.compute(one, chunk if one in self.running else 0, chunks)
        if self.preemptions > self.earlier:
            return chunks
        while budget > 0 and starts > 0 and self.waiting:
            one = self.waiting[0]
            chunk = min(budget, one.needed - one.cached)
            fits = -(-one.needed // self.engine.block_tokens) <= self.free()
            if not fits or len(self.running) == self.engine.max_sequences:
                break
            self.waiting.pop(0)
            self.running.append(one)
            one.cache, self.owned[id(one)] = one.cached, 0
            budget -= self.compute(one, chunk, chunks)
            starts -= 1
        return chunks

    def compute(self, one, chunk, chunks):
        if chunk <= 0:
            return 0
        chunks.append((one, one.cache, chunk))
        one.cache += chunk
        self.owned[id(one)] = one.blocks(self.engine.block_tokens)
        return chunk
