"""Checks of answers. They share no code with any algorithm."""
