"""What a person did wrong, told in one message; the exit status is 2."""


class InputError(Exception):
    """Bad input: an unknown key, an empty range, a missing file."""
