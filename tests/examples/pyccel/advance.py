"""A kernel in Python, to be compiled by Pyccel."""


def advance(x: 'float[:]', v: 'float[:]', dt: float):
    """Moves particles for one time step; returns how many left the unit interval.

    x, v: positions and velocities. dt: the time step.
    """
    left = 0
    for i in range(len(x)):
        x[i] += dt * v[i]
        if x[i] < 0.0 or x[i] > 1.0:
            left += 1
    return left
