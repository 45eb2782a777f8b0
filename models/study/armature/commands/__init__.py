"""The commands of the wrapper `armature` that are Python's: options, what is printed, exit status. Results are made elsewhere."""
