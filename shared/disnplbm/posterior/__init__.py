"""What is kept and said of a chain: trace, result, scores, export."""
