"""A small phrase-based translator: trained on links, tuned, decoded and compared."""
