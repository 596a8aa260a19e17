"""From a recognised failure to words."""
from jax_nbhelp.explanation import Example, Explanation, Link, Operand, Where
__all__ = ["Example", "Explanation", "Link", "Operand", "Where"]
