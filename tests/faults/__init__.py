"""Commands that are killed while they write, or find the disk full."""
