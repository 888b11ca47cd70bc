"""FlatBuffers accessors generated from schemas/policy.fbs by schemas/generate.py."""
