"""Benchmarks that anyone can run: `python -m bench` lists them."""
