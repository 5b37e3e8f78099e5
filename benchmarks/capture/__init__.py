"""What ``bench-capture`` and ``capture-identity`` share."""
