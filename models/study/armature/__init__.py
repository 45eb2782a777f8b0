"""Sweeps, comparisons and experiments over runs of the program `armature`.

The simulation itself is the C++ program; nothing here computes a service time. `program` calls it, `points` says which
configurations, `pool` runs them, `store` keeps what came out, `table` lays it out, `statistics` judges it.
"""
