"""Benchmarks that anyone can run: `make bench`, `make bench-vision`, `make bench-reader`."""
