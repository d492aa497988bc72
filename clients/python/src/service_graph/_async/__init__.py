"""The client. The package ``_sync`` is made of this one by generate.py."""
