"""Whole projects, built and tested by their own build systems."""
