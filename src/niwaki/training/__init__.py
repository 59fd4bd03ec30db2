"""Training: configuration, data, checkpoints and the stages that make a model."""
