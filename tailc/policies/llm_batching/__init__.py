"""llm-batching: token budgets of the iterations of a language model's server.

In each iteration the server batches a token of every decoding sequence and a number of prompt
tokens. A large budget of tokens computes prompts soon and delays the tokens of the sequences that
decode; a small budget does the opposite. The policy is a table of budgets by decoding sequences and
waiting prompt tokens. The percentile of the first SLO, usually of the time to the first token, is
minimised under all other SLOs, usually of the time between tokens. Iterations follow Orca (Yu et
al., OSDI 2022) with chunked prompts (Agrawal et al., OSDI 2024).
"""

from tailc.policies import Kind
from tailc.policies.llm_batching.complete import complete
from tailc.policies.llm_batching.reduce import candidates, emit, reduce
from tailc.policies.llm_batching.spec import LlmBatchingSpec

KIND = Kind(
    name="llm-batching",
    spec_model=LlmBatchingSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    complete=complete,
    speeds_by_degree=False,
)
