"""Where documents come from. A source lists files and reads their bytes; it never writes."""
