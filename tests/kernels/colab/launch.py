"""Starts a kernel that does what Colab's kernel does and a plain one does not."""

from google.colab.kernel import ColabKernel
from ipykernel.kernelapp import IPKernelApp

IPKernelApp.launch_instance(kernel_class=ColabKernel, extensions=["google.colab"])
