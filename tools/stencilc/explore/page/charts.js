// Charts of all candidates.

const kMargin = {
  left: 58,
  right: 14,
  top: 30,
  bottom: 44
};

function boxOf(width, height) {
  return {
    left: kMargin.left,
    right: width - kMargin.right,
    top: kMargin.top,
    bottom: height - kMargin.bottom
  };
}
const heightOfChart = (width) => Math.round(Math.min(430, Math.max(290, width * 0.72)));

// A function that finds the thing nearest to an event among [thing, [x, y]] pairs for which `isThere`
// holds; null if none is near.
function nearestOf(places, isThere = () => true) {
  return (event) => {
    const [x, y] = [event.offsetX, event.offsetY];
    let [best, least] = [null, 26 * 26];
    for (const [thing, [px, py]] of places) {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least && isThere(thing)) [best, least] = [thing, distance];
    }
    return best;
  };
}

// An overlay on `box` that calls hover(event, nearest thing or null) and pick(clicked thing).
function planeOf(box, nearest, hover, pick) {
  const plane = svg("rect", {
    class: "plane",
    x: box.left,
    y: box.top,
    width: Math.max(0, box.right - box.left),
    height: box.bottom - box.top
  });
  plane.addEventListener("pointermove", (event) => hover(event, nearest(event)));
  plane.addEventListener("pointerleave", (event) => hover(event, null));
  plane.addEventListener("click", (event) => {
    const thing = nearest(event);
    if (!thing) return;
    hideHint();
    pick(thing);
  });
  return plane;
}

// Draws candidates as marks in `root` at the positions `at(c)` ([x, y], or nothing). One path per limit
// is fast enough; thousands of elements would not be.
function marks(root, box, points, at, r) {
  const places = points.map((c) => [c, at(c)]).filter(([, place]) => place);
  const layer = svg("g");
  const chosenRing = svg("path", {class: "ring chosen"});
  const ring = svg("path", {class: "ring"});
  const ringAt = (element, c, radius) => {
    const place = places.find(([other]) => other === c)?.[1];
    element.setAttribute("d", place ? mark("memory", place[0], place[1], radius) : "");
  };
  const few = places.length <= 200 ? " few" : "";
  const draw = () => {
    const paths = new Map();
    let apart = "";
    for (const [c, [x, y]] of places) {
      const d = mark(c.limit, x, y, r);
      if (shown.has(c))
        paths.set(c.limit, (paths.get(c.limit) ?? "") + d);
      else
        apart += d;
    }
    layer.replaceChildren(svg("path", {class: "apart", d: apart}),
        ...kLimits.filter((l) => paths.has(l))
            .map((limit) => svg(
                     "path", {class: `marks${few}`, "data-limit": limit, d: paths.get(limit)})));
  };
  draw();
  if (winner) ringAt(chosenRing, winner, r + 4);

  const plane = planeOf(box, nearestOf(places, (c) => shown.has(c)), (event, c) => {
    tell("point", c);
    if (c)
      showHint(event, ...hintOf(c));
    else
      hideHint();
  }, (c) => tell("pick", c));
  root.append(layer, chosenRing, ring, plane);
  return {draw, point: (c) => ringAt(ring, c, r + 3)};
}

// A chart with marks that react to filter and pointer.
function markedDrawing(id, title, draw, heightOf = heightOfChart) {
  const place = document.querySelector(`#${id} .chart`);
  let live = null;
  listeners.filter.push(() => live?.draw());
  listeners.point.push((c) => live?.point(c));
  place.append(legend(limitsSeen));
  return drawing(place, title, heightOf, (root, width, height) => {
    live = draw(root, boxOf(width, height));
  });
}

function about(box) {
  return {x: Math.max(3, (box.right - box.left) / 90), y: Math.max(3, (box.bottom - box.top) / 60)};
}

// --- Roofline (Williams, Waterman and Patterson, "Roofline", CACM 2009) ---

// Axes of a roofline: work per second over work per byte of memory traffic.
const kRooflines = {
  instructions: {
    choice: "instructions",
    work: (c) => c.instructions,
    xName: "instructions per byte of memory",
    yName: "instructions per second",
    yText: (value) => withPrefix(value).trim(),
    unit: 1,
    top: () => [report.machine.instructions_per_second,
        `${withPrefix(report.machine.instructions_per_second).trim()} instructions/s`],
    note: "All instructions count, including those of redundant work.",
  },
  points: {
    choice: "useful points",
    work: () => 1,
    xName: "useful points and steps per byte of memory",
    yName: "GCells/s",
    yText: plainNumber,
    unit: 1e9,
    top: () => [report.machine.instructions_per_second / winner.instructions / 1e9,
        `at the winner’s ${threeDigits(winner.instructions)} instructions`],
    note:
        "The horizontal roof is the winner’s; schedules with fewer instructions have a higher roof.",
  },
};

function roofline() {
  const machine = report.machine;
  let kind = kRooflines.instructions;
  const note = document.getElementById("roofline-note");
  const say = () => {
    note.textContent = `Predicted rates, and the roofs of ${machine.description}. ${kind.note}` +
        (candidates.some((c) => xOf(c) > farthestOf(ridgeOf())) ?
                " Schedules at the right edge have almost no memory traffic." :
                "");
  };
  const ridgeOf = () => kind.top()[0] / (machine.bytes_per_second / kind.unit);
  const farthestOf = (ridge) => ridge * 300;
  const xOf = (c) => kind.work(c) / c.memory_bytes;
  const yOf = (c) => (kind.work(c) * c.predicted * 1e9) / kind.unit;
  say();
  const choice = choiceOf(
      "What is counted", Object.values(kRooflines).map((k) => [k, k.choice]), kind, (k) => {
        kind = k;
        say();
        again();
      });
  document.querySelector("#roofline h2").append(choice);
  const again = markedDrawing("roofline",
      "Roofline: rates of all candidates under the roofs of the machine", (root, box) => {
        const [top, topText] = kind.top();
        const slope = machine.bytes_per_second / kind.unit;
        const ridge = ridgeOf();
        const [x0, widest] = logRange([...candidates.map(xOf), ridge], 2);
        const x1 = Math.min(widest, farthestOf(ridge));
        const [y0, y1] = logRange([...candidates.map(yOf), top], 1.6);
        const x = logScale(x0, x1, box.left, box.right);
        const y = logScale(y0, y1, box.bottom, box.top);
        const ticks = about(box);
        axes(root, box, x, y, {
          xName: kind.xName,
          yName: kind.yName,
          xTicks: x.ticks(ticks.x),
          yTicks: y.ticks(ticks.y),
          xText: plainNumber,
          yText: kind.yText
        });
        if (isNumber(ridge) && ridge > 0) {
          const start = Math.max(x0, y0 / slope);
          root.append(svg("path", {
            class: "roof",
            d: `M${x(start)} ${y(start * slope)}L${x(ridge)} ${y(top)}L${x(x1)} ${y(top)}`
          }));
          const angle =
              (Math.atan2(y(top) - y(start * slope), x(ridge) - x(start)) * 180) / Math.PI;
          const middle = Math.sqrt(start * ridge);
          const along = Math.hypot(y(top) - y(start * slope), x(ridge) - x(start)) > 160;
          const at = `translate(${x(middle)} ${y(middle * slope)})`;
          root.append(text(0, 0, `memory ${withPrefix(machine.bytes_per_second)}B/s`, {
            class: "ink halo-of-text",
            "text-anchor": along ? "middle" : "start",
            transform: along ? `${at} rotate(${angle}) translate(0 -7)` : `${at} translate(9 5)`
          }),
              text(x(x1), y(top) - 7, topText, {class: "ink halo-of-text", "text-anchor": "end"}));
        }
        return marks(root, box, candidates, (c) => {
          const place = [x(Math.min(xOf(c), x1)), y(yOf(c))];
          return place.every(Number.isFinite) ? place : null;
        }, 3.4);
      });
}

// --- Predicted against measured ---

function agreement() {
  const measured =
      candidates.filter((c) => isNumber(c.measured) && c.measured > 0 && c.predicted > 0);
  if (measured.length === 0) {
    document.getElementById("agreement").remove();
    return;
  }
  const tau = report.kendall_tau;
  document.getElementById("agreement-note").textContent =
      `${measured.length} schedules on ${report.device}.` +
      (isNumber(tau) ? ` Kendall’s τ is ${tau.toFixed(2)}; at 1 both orders are the same.` : "") +
      " On the line both are equal; the band is 20% around it.";
  markedDrawing("agreement", "Predicted against measured rates", (root, box) => {
    const [low, high] = logRange(measured.flatMap((c) => [c.predicted, c.measured]), 1.25);
    const x = logScale(low, high, box.left, box.right);
    const y = logScale(low, high, box.bottom, box.top);
    const ticks = about(box);
    axes(root, box, x, y, {
      xName: "predicted, GCells/s",
      yName: "measured, GCells/s",
      xTicks: x.ticks(ticks.x),
      yTicks: y.ticks(ticks.y),
      xText: plainNumber,
      yText: plainNumber
    });
    root.append(svg("path", {
      class: "apart",
      d: `M${x(low)} ${y(low)}L${x(low)} ${y(low * 1.2)}L${x(high / 1.2)} ${y(high)}` +
          `L${x(high)} ${y(high)}L${x(high)} ${y(high / 1.2)}L${x(low * 1.2)} ${y(low)}Z`
    }),
        svg("path", {class: "axis", d: `M${x(low)} ${y(low)}L${x(high)} ${y(high)}`}));
    return marks(root, box, measured, (c) => [x(c.predicted), y(c.measured)], 4);
  });
}

// --- Time tiles ---

function timeTiles() {
  const best = new Map();  // by family and T: the fastest by prediction
  for (const c of candidates) {
    const key = `${c.family} ${c.time_tile}`;
    const other = best.get(key);
    if (!other || c.predicted > other.predicted) best.set(key, c);
  }
  const bests = [...best.values()].sort((a, b) => a.time_tile - b.time_tile);
  const all = [...candidates, ...report.neighbours].map((c) => c.time_tile);
  const most = [...candidates, ...report.neighbours].reduce((m, c) => Math.max(m, c.predicted), 0);
  markedDrawing("tiles", "Rate over time tile, the best candidate of every family", (root, box) => {
    const [first, last] =
        [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), 1)];
    const inner = {...box, right: box.right - 70};  // family names are on the right
    const x = linearScale(first - 0.5, last + 0.5, inner.left, inner.right);
    const y = linearScale(0, most * 1.06, box.bottom, box.top);
    const every = Math.ceil((last - first + 1) / Math.max(4, (inner.right - inner.left) / 34));
    const xTicks = [];
    for (let t = first; t <= last; t += every) xTicks.push(t);
    axes(root, {...inner}, x, y, {
      xName: "T, steps per pass over memory",
      yName: "GCells/s, predicted",
      xTicks,
      yTicks: y.ticks(about(box).y),
      xText: String,
      yText: plainNumber
    });
    // The others, with reproducible jitter.
    const others = candidates.map((c) => {
      const shift = (((c.rank * 2654435761) >>> 0) / 2 ** 32 - 0.5) * 0.5;
      return mark("memory", x(c.time_tile + shift), y(c.predicted), 1.4);
    });
    root.append(svg("path", {class: "apart", d: others.join("")}));
    const labels = [];
    const families = [...new Set(bests.map((c) => c.family))];
    families.forEach((family, i) => {
      const line = bests.filter((c) => c.family === family);
      root.append(svg("path", {
        class: "axis",
        stroke: "currentColor",
        "stroke-dasharray": ["", "6 3", "2 3", "8 3 2 3"][i % 4],
        style: "stroke: var(--faint)",
        d: `M${line.map((c) => `${x(c.time_tile)} ${y(c.predicted)}`).join("L")}`
      }));
      const end = line.at(-1);
      labels.push({words: family, x: x(end.time_tile) + 10, y: y(end.predicted) + 4});
    });
    labels.sort((a, b) => a.y - b.y);
    labels.forEach((label, i) => {
      if (i > 0 && Math.abs(label.x - labels[i - 1].x) < 80)
        label.y = Math.max(label.y, labels[i - 1].y + 14);
      root.append(text(label.x, label.y, label.words, {class: "ink halo-of-text"}));
    });
    if (report.neighbours.length > 0 && winner) {
      const line = [...report.neighbours, winner].sort((a, b) => a.time_tile - b.time_tile);
      root.append(svg("path", {
        class: "roof",
        style: "stroke: var(--accent)",
        d: `M${line.map((n) => `${x(n.time_tile)} ${y(n.predicted)}`).join("L")}`
      }));
    }
    return marks(root, inner, bests, (c) => [x(c.time_tile), y(c.predicted)], 5);
  }, (width) => Math.round(Math.min(510, Math.max(290, width * 0.88))));
  if (report.neighbours.length > 0) {
    document.querySelector("#tiles .note").append(" The thick line is the winner with another T.");
  }
}

// --- Terms of the time ---

// The ten best candidates with different terms.
function differing() {
  const seen = new Set();
  const best = [];
  for (const c of candidates) {
    const key = c.terms.map((t) => threeDigits(t.seconds)).join(" ");
    if (c.terms.length > 0 && !seen.has(key)) best.push(c);
    seen.add(key);
    if (best.length === 10) break;
  }
  return best;
}

function terms() {
  const best = differing();
  if (best.length === 0) {
    document.getElementById("terms").remove();
    return;
  }
  const names = [...new Set(best.flatMap((c) => c.terms.map((t) => t.name)))];
  const place = document.querySelector("#terms .chart");
  place.append(html("ul", {class: "legend"},
      names.map((name) => html("li", {"data-limit": name},
                    svg("svg", {viewBox: "0 0 12 12", "aria-hidden": "true"},
                        svg("path", {d: "M0 2H12V10H0Z"})),
                    name))));
  const kBar = 5;
  const kLabel = 19;
  const heightOf = (c) =>
      kLabel + Math.max(1, c.terms.filter((t) => t.overlaps).length) * (kBar + 1) + 10;
  const longest = best.reduce((most, c) => Math.max(most, secondsOf(c)), 0) * 1e12;
  drawing(place, "Terms of the expected time of the ten best",
      () => best.reduce((sum, c) => sum + heightOf(c), 0) + 20, (root, width) => {
        const x = linearScale(0, longest * 1.02, 26, width - 8);
        let y = 0;
        const bottom = best.reduce((sum, c) => sum + heightOf(c), 0);
        for (const tick of x.ticks(Math.max(3, width / 90))) {
          root.append(svg("path", {class: "grid", d: `M${x(tick)} 0V${bottom}`}),
              text(x(tick), bottom + 16, plainNumber(tick), {"text-anchor": "middle"}));
        }
        for (const c of best) {
          root.append(text(0, y + 13, c.rank, {class: "ink"}),
              text(26, y + 13, shortened(lineOf(c), (width - 30) / 7),
                  {class: `mono halo-of-text${c.chosen ? " ink" : ""}`}));
          const bar = (term, from, top, height) => {
            const width = Math.max(0.5, x(from + term.seconds * 1e12) - x(from));
            const place = {x: x(from), y: top, width, height, rx: 1.5};
            root.append(svg("rect", {class: "term", "data-limit": term.name, ...place},
                svg("title", {}, `${term.name}: ${threeDigits(term.seconds * 1e12)} ps`)));
          };
          const overlapping = c.terms.filter((t) => t.overlaps).length;
          root.append(svg("rect", {
            class: "band",
            x: x(0),
            y: y + kLabel - 2,
            width: x(overlapEnd(c) * 1e12) - x(0),
            height: overlapping * (kBar + 1) + 3
          }));
          let at = y + kLabel;
          for (const term of c.terms.filter((t) => t.overlaps)) {
            bar(term, 0, at, kBar);
            at += kBar + 1;
          }
          const height = Math.max(kBar, at - 1 - (y + kLabel));
          let end = overlapEnd(c) * 1e12;
          for (const term of c.terms.filter((t) => !t.overlaps)) {
            bar(term, end, y + kLabel, height);
            end += term.seconds * 1e12;
          }
          root.append(
              svg("path", {class: "roof", d: `M${x(end)} ${y + kLabel - 2}v${height + 4}`}));
          y += heightOf(c);
        }
      });
}
