"""An object of the user's of which nothing may be asked."""

from __future__ import annotations


def _refuse(*_, **__):
    raise AssertionError("code of the user's ran")


def hostile_class():
    """A class of which nothing may be asked: every way to run its code raises."""

    class Meta(type):
        __eq__ = __hash__ = __instancecheck__ = __subclasscheck__ = __getattr__ = _refuse

    names = """getattr getattribute eq ne lt bool len iter contains repr str format call hash index int float array
    array_interface jax_array getitem dir add radd matmul enter next""".split()
    body = {f"__{name}__": property(_refuse) if name.startswith("array") else _refuse for name in names}
    for name in (
        "__class__",
        "__dict__",
        "shape",
        "dtype",
        "aval",
        "sharding",
        "axis_names",
        "ndim",
        "__wrapped__",
        "T",
    ):
        body[name] = property(_refuse)
    return Meta("Hostile", (), body)
