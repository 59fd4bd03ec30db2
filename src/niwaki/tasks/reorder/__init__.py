"""Word order for translation: precedence rules, reordering, references, learning of rules."""
