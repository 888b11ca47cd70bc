"""OpenSLO documents, version 1, as objectives of a spec (openslo.com/specification)."""
