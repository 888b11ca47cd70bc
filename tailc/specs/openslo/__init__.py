"""Import SLOs from OpenSLO documents, version 1 (openslo.com/specification)."""
