"""What is added to the search path of `perun.collect`."""
