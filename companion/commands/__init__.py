"""The commands of the program, one module each; see `companion.__main__`."""
