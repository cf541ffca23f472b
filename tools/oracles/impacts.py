"""Writes data/oracles/impacts.json: one body, one contact, Newton's and Poisson's law with Coulomb friction.

Stick and slip are enumerated one by one, rods in exact rational arithmetic, balls with 50 digits. Takes no arguments and
needs nothing but Python.
"""

import decimal
import json
import pathlib
import random
from fractions import Fraction

OUT = pathlib.Path(__file__).resolve().parents[2] / "data" / "oracles" / "impacts.json"
SEED = 20240717
RODS, BALLS = 60, 40


def solve(W, u, mu, target):
    """All (p_n, p_t) with 0 <= p_n, u_n+ >= target and Coulomb friction, of a contact in the plane."""
    (w_nn, w_nt), (_, w_tt) = W
    u_n, u_t = u
    found = set()
    if u_n >= target:
        found.add((0 * u_n, 0 * u_n))
    det = w_nn * w_tt - w_nt * w_nt
    a, b = target - u_n, -u_t
    p_n, p_t = (w_tt * a - w_nt * b) / det, (w_nn * b - w_nt * a) / det
    if p_n > 0 and abs(p_t) <= mu * p_n:
        found.add((p_n, p_t))
    for side in (1, -1):
        give = w_nn - side * mu * w_nt
        if give == 0:
            continue
        p_n = (target - u_n) / give
        slip = u_t + w_nt * p_n - side * mu * w_tt * p_n
        if p_n > 0 and slip * side > 0:
            found.add((p_n, -side * mu * p_n))
    return found


def after(W, u, p):
    return (u[0] + W[0][0] * p[0] + W[0][1] * p[1], u[1] + W[1][0] * p[0] + W[1][1] * p[1])


def newton(W, u, mu, e):
    return solve(W, u, mu, -e * u[0])


def poisson(W, u, mu, e):
    """The returned impulse is normal; friction in decompression is bounded by what is pushed anew."""
    found = set()
    for p_c in solve(W, u, mu, 0):
        returned = (e * p_c[0], 0 * p_c[0])
        u_r = after(W, after(W, u, p_c), returned)
        for p_x in solve(W, u_r, mu, 0):
            found.add((p_c[0] + returned[0] + p_x[0], p_c[1] + p_x[1]))
    return found


def rational(rng, low, high):
    return Fraction(rng.randint(round(low * 1024), round(high * 1024)), 1024)


def rod(rng):
    m, half = rational(rng, 0.2, 3), rational(rng, 0.2, 1)
    moment = m * half * half / 3
    t = rational(rng, -0.9, 0.9)  # tangent of half the tilt about y
    sine, cosine = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
    r_x, r_z = -half * sine, -half * cosine
    mu, e = rational(rng, 0, 1.5), rational(rng, 0, 1)
    v_x, v_z, omega = (rational(rng, -3, 3) for _ in range(3))
    u = (v_z - omega * r_x, v_x + omega * r_z)
    W = ((1 / m + r_x * r_x / moment, -r_x * r_z / moment), (-r_x * r_z / moment, 1 / m + r_z * r_z / moment))
    if not u[0] < 0:
        return None
    results = {}
    for name, law in (("newton", newton), ("poisson", poisson)):
        answers = law(W, u, mu, e)
        if len(answers) != 1:
            return None  # several answers: nothing to compare with
        ((p_n, p_t),) = answers
        spin = omega + (r_z * p_t - r_x * p_n) / moment
        results[name] = [float(x) for x in (v_x + p_t / m, 0, v_z + p_n / m, 0, spin, 0)]
    numbers = dict(mass=m, half=half, half_tilt=t, mu=mu, e=e)
    case = {"kind": "rod", **{key: float(x) for key, x in numbers.items()}}
    return {**case, "v": [float(x) for x in (v_x, 0, v_z, 0, omega, 0)], **results}


def ball(rng):
    """A solid ball: normal and tangents do not couple, and friction opposes the slip of the beginning."""
    D = decimal.Decimal
    number = lambda low, high: D(rng.randint(round(low * 1024), round(high * 1024))) / 1024
    m, R, mu, e = number(0.2, 3), number(0.2, 1), number(0, 1), number(0, 1)
    v, w = [number(-3, 3) for _ in range(3)], [number(-3, 3) for _ in range(3)]
    v[2] = -number(0.1, 3)
    moment = D(2) / 5 * m * R * R
    u = [v[0] - w[1] * R, v[1] + w[0] * R]
    slip = (u[0] * u[0] + u[1] * u[1]).sqrt()
    w_tt = 1 / m + R * R / moment
    results = {}
    for name, felt in (("newton", 1 + e), ("poisson", D(1))):
        p_t = min(mu * felt * m * -v[2], slip / w_tt)
        p = [-p_t * u[0] / slip, -p_t * u[1] / slip]
        after_v = [v[0] + p[0] / m, v[1] + p[1] / m, -e * v[2]]
        after_w = [w[0] + R * p[1] / moment, w[1] - R * p[0] / moment, w[2]]
        results[name] = [float(x) for x in after_v + after_w]
    numbers = dict(mass=m, half=R, half_tilt=D(0), mu=mu, e=e)
    case = {"kind": "ball", **{key: float(x) for key, x in numbers.items()}}
    return {**case, "v": [float(x) for x in v + w], **results}


def main():
    decimal.getcontext().prec = 50
    rng = random.Random(SEED)
    cases = []
    while len(cases) < RODS:
        case = rod(rng)
        cases += [case] if case else []
    cases += [ball(rng) for _ in range(BALLS)]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    OUT.write_text(f'{{"seed": {SEED}, "cases": [\n{lines}\n]}}\n')


main()
