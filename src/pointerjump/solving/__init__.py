"""What a caller gave, how every problem is solved, and its results."""
