"""What all trainers share: the corpus, checkpoints, threads."""
