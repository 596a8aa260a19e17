"""Hosts: the places that hold cells and can change and run them."""
