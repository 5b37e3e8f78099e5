"""What others tell us: source hosts and the payment provider."""
