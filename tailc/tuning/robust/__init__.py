"""Robust tuning: tables that tolerate errors of their inputs, and the size of these errors."""
