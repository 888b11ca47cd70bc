"""The published figures of few-to-many beside ours, on workloads fitted to what was published.

    python -m bench.published_trends

Every figure of ours is a mean over repetitions with a 95 % interval of that mean, all subjects on
the same requests at the same times. docs/published-results.md says why ours differ; the letters
are its notes.
"""

from __future__ import annotations

from bench import lucene_views, trends_bing, trends_lucene


def main() -> None:
    trends_lucene.report(lucene_views.views())
    trends_bing.report(trends_bing.views())


if __name__ == "__main__":
    main()
