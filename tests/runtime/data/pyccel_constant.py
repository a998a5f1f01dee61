"""Objects with arrays that nobody changes, beside one that every call does."""


class Domain:
    def __init__(self, nodes: "float[:]", weights: "float[:]", n: int):
        self.nodes = nodes
        self.weights = weights
        self.n = n

    def volume(self) -> float:
        result = 0.0
        for i in range(self.n):
            result += self.nodes[i] * self.weights[i]
        return result

    def part(self):
        return self.nodes[1:]


class Particles:
    def __init__(self, markers: "float[:]", domain: "Domain"):
        self.markers = markers
        self.domain = domain


class Odd:
    def __init__(self, nodes: "float[:]", constant: int):
        self.nodes = nodes
        self.constant = constant


def push(particles: "Particles", by: float):
    for i in range(particles.markers.shape[0]):
        particles.markers[i] = particles.markers[i] + by * particles.domain.nodes[i]


def integrate(domain: "Domain", x: "float[:]", out: "float[:]"):
    for i in range(domain.n):
        out[i] = x[i] * domain.nodes[i] * domain.weights[i]


def move(domain: "Domain", by: float):
    domain.nodes[0] = domain.nodes[0] + by
