"""Long runs that show whether anything grows: `make soak`."""
