"""The steps of every call: read the input in any form, solve the problem, and return the result."""
