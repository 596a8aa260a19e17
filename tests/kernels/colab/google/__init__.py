"""In front of any other `google`: a package with this file hides the namespace that others share."""
