"""Random stencil programs of the kinds that simulations have, from a seed.

Weights are scaled so that values stay bounded for any number of steps, and initial values vary everywhere.
"""
import random

SIZES = {2: (256, 512, 1024, 2000, 4096, 6000, 8192), 3: (64, 96, 128, 192, 256, 384, 512)}


def offsets(rank, radius, box):
    """The points around a point, outermost dimension first: a star or a box."""
    if not box:
        star = [(0,) * rank]
        for d in range(rank):
            for r in range(1, radius + 1):
                for sign in (-r, r):
                    star.append(tuple(sign if e == d else 0 for e in range(rank)))
        return star
    points = [()]
    for _ in range(rank):
        points = [p + (o,) for p in points for o in range(-radius, radius + 1)]
    return points


def text_of(name, point):
    return f"{name}[{','.join(map(str, point))}]"


def weighted(draw, name, points, scale):
    """A weighted sum; the magnitudes of the weights add up to `scale`. Points at one distance share a weight or not."""
    shared = draw.random() < 0.5
    weights = {}
    for point in points:
        key = tuple(sorted(map(abs, point))) if shared else point
        weights.setdefault(key, draw.uniform(0.2, 1))
    used = [weights[tuple(sorted(map(abs, p))) if shared else p] for p in points]
    total = sum(used) / scale
    groups = {}
    for point, weight in zip(points, used):
        groups.setdefault(weight / total, []).append(text_of(name, point))
    terms = [f"{weight:.6g} * ({' + '.join(reads)})" if len(reads) > 1 else f"{weight:.6g} * {reads[0]}"
             for weight, reads in groups.items()]
    return " + ".join(terms)


def program(seed):
    """A program as a dict: text, real, a description."""
    draw = random.Random(seed)
    rank = draw.choice((2, 2, 3, 3, 3))
    real = draw.choice(("float", "float", "double"))
    kind = draw.choice(("star", "star", "box", "coefficients", "wave", "coupled", "nonlinear"))
    box = kind == "box"
    radius = draw.choice((1, 1, 2)) if box or kind == "coupled" else draw.choice((1, 1, 2, 3, 4))
    if box and rank == 3:
        radius = 1
    fields = draw.choice((2, 3)) if kind == "coupled" else 1
    count = draw.choice((1, 2, 3)) if kind in ("coefficients", "coupled") else 0
    size = draw.choice(SIZES[rank])
    # Memory: at most some GB.
    while size ** rank * (fields * 2 + count + 1) * (8 if real == "double" else 4) > 12e9:
        size //= 2
    shape = [size] * rank
    if draw.random() < 0.5:
        shape[draw.randrange(rank)] = max(size * 3 // 4 + draw.randrange(16), 40)
    rule = draw.choice(("clamp", "constant 0.5", "periodic", "none"))
    names = ["U", "V", "W"][:fields]
    coefficients = ["K", "L", "M"][:count]
    indices = "ijk"[:rank]
    boundary = "" if rule == "none" else f" boundary {rule}"
    lines = [f"grid G = [{', '.join(f'0..{n - 1}' for n in shape)}] steps 1000;"]
    levels = 2 if kind == "wave" else 1
    history = " history 2" if levels == 2 else ""
    lines.append(f"field {', '.join(names)} : real on G{history}{boundary};")
    if coefficients:
        lines.append(f"field {', '.join(coefficients)} : real on G;")
    for n, name in enumerate(names + coefficients):
        arguments = ", ".join(indices) + (f", {n}" if rank == 2 else "")
        lines.append(f"init {name}[{','.join(indices)}] = 0.25 + 0.5 * random({arguments});")
    region = "G" if rule != "none" else f"[{', '.join(f'{radius}..{n - 1 - radius}' for n in shape)}]"
    points = offsets(rank, radius, box)
    here = (0,) * rank
    for n, name in enumerate(names):
        if kind == "wave":
            value = (f"1.98 * {text_of(name, here)} - 0.99 * {name}@-1{text_of('', here)} + "
                     f"0.02 * ({weighted(draw, name, points[1:], 1)} - {text_of(name, here)})")
        elif kind == "coefficients":
            value = " + ".join(f"{text_of(c, here)} * ({weighted(draw, name, points, 1 / count)})" for c in coefficients)
        elif kind == "coupled":
            other = names[(n + 1) % fields]
            factor = text_of(draw.choice(coefficients), here)
            value = (f"0.5 * ({weighted(draw, name, points, 1)}) + 0.4 * {factor} * "
                     f"({weighted(draw, other, offsets(rank, 1, False), 1)})")
        elif kind == "nonlinear":
            mean = weighted(draw, name, points, 1)
            value = f"({mean}) / (1 + 0.1 * {text_of(name, here)} * {text_of(name, here)}) + 0.01"
        else:
            value = weighted(draw, name, points, 1)
        lines.append(f"stencil s{n} : {name} on {region} = {value};" if region == "G"
                     else f"stencil s{n} : {name}{region} = {value};")
    about = f"{kind} {rank}-D radius {radius}, {'x'.join(map(str, shape))}, {rule}"
    return {"text": "\n".join(lines) + "\n", "real": real, "about": about}
