"""Records: read, checked, indexed and recognised."""
