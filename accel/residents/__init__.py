"""What lies on a device for algorithms to run on: rows, edges or lists."""
