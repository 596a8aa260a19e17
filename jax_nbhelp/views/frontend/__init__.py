"""The front end's sources: the widget's script and styles, and the JupyterLab extension."""
