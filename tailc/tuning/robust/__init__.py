"""Robust tuning: tables that meet the SLO despite errors of demand and speed-ups."""
