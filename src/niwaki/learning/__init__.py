"""What all trainers share: the corpus, checkpoints, threads.

Not public: `niwaki.train` is.
"""
