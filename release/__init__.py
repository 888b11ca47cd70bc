"""Builds the packages of a release."""
