"""Fixes: from a rule and a failure to verified edits of the user's cells."""
