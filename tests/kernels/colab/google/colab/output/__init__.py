"""What a notebook says to Colab's output frames; anywidget looks for this module to know that it is on Colab."""

from google.colab.output._widgets import enable_custom_widget_manager

__all__ = ["enable_custom_widget_manager"]
