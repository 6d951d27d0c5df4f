"""Counts of pathcc in Perun.

* `register` makes the collector `pathcc` known to Perun.
* `collect` is a folder in which Perun looks for collectors: `perun.collect.pathcc` is in it.
* `resources` turns what `pathprof export` tells into Perun's resources. It knows nothing of Perun.
"""
