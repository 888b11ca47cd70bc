"""Planners of rigid jobs to compare with, which need no solver."""
