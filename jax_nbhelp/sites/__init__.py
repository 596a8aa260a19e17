"""JAX's own source, read and never imported: where it raises, with what words, and who can get there."""
