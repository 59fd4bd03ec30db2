"""Training: configuration, data, checkpoints and the stages that make a model.

Not public: `niwaki.train` and its kin are.
"""
