"""Which words of the sentences found answer a question: by how often, by trees, by roles."""
