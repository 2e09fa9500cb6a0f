"""What keeps a library: the protocol in ``base`` and the embedded store."""
