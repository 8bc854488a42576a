"""Benchmarks: pointerjump and other programs that find connected components, timed side by side."""
