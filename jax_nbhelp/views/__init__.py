"""Views: the help as text, as HTML, and as a widget whose buttons act on the notebook."""
