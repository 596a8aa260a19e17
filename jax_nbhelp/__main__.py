"""`python -m jax_nbhelp` is the command `jax-nbhelp`."""

import sys

from jax_nbhelp.cli import main

sys.exit(main())
