"""Slow, obvious twins of the kernel's algorithms; they judge the fast ones."""
