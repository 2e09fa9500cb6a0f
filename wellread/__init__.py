"""Company knowledge that AI agents can search, read and trust."""

__version__ = "0.1.0"
