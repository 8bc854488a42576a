"""What every room needs, and what is handed around: errors, numbers, memory; graphs, edges, lists, images."""
