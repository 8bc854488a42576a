"""The steps behind every public function: read the input, solve the problem and build the result."""
