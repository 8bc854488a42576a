"""Measuring: pointerjump beside other programs that find connected components, fairly timed."""
