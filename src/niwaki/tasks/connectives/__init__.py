"""What connectives join: the heads of both arguments, by trees (Wellner and Pustejovsky 2007)."""
