"""Kernels that run on the device, for tests that only a device can run."""

import pytest

SPIN = r"""
extern "C" __global__ void spin(double *x, long long n, double value, long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    for (long long i = 0; i < n; i++)
        x[i] = value;
}
"""


@pytest.fixture(scope="session")
def slow_fill(xp):
    """slow_fill(array, value): queues a kernel on the current stream that fills the array after about a fifth of a second."""
    kernel = xp.RawKernel(SPIN, "spin")

    def fill(array, value):
        kernel((1,), (1,), (array, array.size, float(value), 300_000_000))

    return fill
