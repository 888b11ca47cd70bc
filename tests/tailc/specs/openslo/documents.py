"""OpenSLO documents of our own, by the keys that the specification of version 1 names."""

THRESHOLD = """\
apiVersion: openslo/v1
kind: SLO
metadata:
  name: checkout-latency
spec:
  service: checkout
  indicator:
    metadata:
      name: checkout-time
    spec:
      thresholdMetric:
        metricSource:
          type: Prometheus
          spec:
            query: checkout_duration_seconds
  budgetingMethod: Occurrences
  objectives:
    - op: lte
      value: 0.5
      target: 0.99
"""
BUCKETS = """\
apiVersion: openslo/v1
kind: SLI
metadata: {name: fast-answers}
spec:
  ratioMetric:
    counter: true
    good:
      metricSource:
        type: Prometheus
        spec: {query: 'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))'}
    total:
      metricSource:
        type: Prometheus
        spec: {query: 'sum(rate(answer_seconds_count{job="search"}[5m]))'}
---
apiVersion: openslo/v1
kind: SLO
metadata: {name: search-latency}
spec:
  service: search
  indicatorRef: fast-answers
  timeWindow:
    - duration: 1M
      calendar: {startTime: 2026-01-01 00:00:00, timeZone: Europe/Oslo}
  budgetingMethod: Timeslices
  objectives:
    - targetPercent: 99.5
      timeSliceTarget: 0.95
      timeSliceWindow: 1m
"""


def source_of(text):
    """The change that makes this the source of the threshold's metric."""
    return "spec:\n            query: checkout_duration_seconds", f"spec: {text}"


def line_of(finding):
    return finding.place.line


def said(found):
    """Each warning's line and message."""
    return [(line_of(one), one.message) for one in found.warnings]
