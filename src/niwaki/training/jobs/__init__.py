"""The jobs of a training run: learned by this process, or by workers whose weights are mixed."""
