"""The tests that are written in Python: real programs, whole projects, measurements, mutants.

Each script is a module, run from the top folder: `python3 -m tests.real.torture --help`.
"""
