"""What the targets of the design are measured by: ``python -m benchmarks.bench``."""
