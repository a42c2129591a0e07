"""Front ends: they build SCF, and passes that work on it."""
