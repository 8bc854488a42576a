"""How inputs of any form are taken, how every problem is solved, and what results hold."""
