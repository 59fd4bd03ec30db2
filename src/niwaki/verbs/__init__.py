"""What the commands do, as functions: a command reads its options, calls one, and prints.

Not public: its functions are names of `niwaki`.
"""
