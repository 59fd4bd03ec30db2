"""Error analysis: what went wrong, how often, and what it cost."""
