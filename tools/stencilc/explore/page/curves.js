// Curves over the time tile T: the best rate of each T, and its cost per point.

const kMostCurves = 6;
const kOf = " per thread";

// A logarithmic scale for T, because families try fewer long ones, and the T with room for a label.
function timeScale(points, from, to) {
  const all = [...new Set(points.map((p) => p.time_tile))].sort((a, b) => a - b);
  const scale = logScale(all[0] * 0.92, all.at(-1) * 1.08, from, to);
  let last = -Infinity;
  const ticks = all.filter((T) => {
    const room = scale(T) - last >= 17;
    if (room) last = scale(T);
    return room;
  });
  return {scale, ticks};
}

// An overlay on `box` with points at `places`, [point, [x, y]]: shows the text say(nearest point) at the
// pointer; a click opens the point's row if it is in the table.
const bySchedule = new Map(candidates.map((c) => [c.schedule, c]));
function pointedPlane(box, places, say) {
  const candidateOf = (p) => bySchedule.get(p.schedule) ?? null;
  return planeOf(box, nearestOf(places),
      (event, p) => {
        tell("point", p ? candidateOf(p) : null);
        if (p)
          showHint(event, ...say(p));
        else
          hideHint();
      },
      (p) => {
        if (candidateOf(p)) tell("pick", candidateOf(p));
      });
}

const lineThrough = (places) =>
    `M${places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

// Why there are no curves; "" if there are.
function whyNoCurves() {
  const tiles = new Set(report.by_time_tile.map((p) => p.time_tile));
  if (tiles.size > 1) return "";
  if (tiles.size === 0) return "Nothing to draw: every schedule is expected to spill.";
  const [only] = tiles;
  let why = "no schedule with another T was ranked (see “Not ranked”)";
  if (report.steps === 1)
    why = "the program does one step";
  else if (candidates.some((c) => c.time_tile !== only))
    why = "schedules with another T are expected to spill";
  return `Nothing to draw over T, since it is always ${only}: ${why}.`;
}

// --- T and elements per thread (figure 7 of Holewinski, Pouchet and Sadayappan, ICS 2012) ---

// The best numbers of points per thread, including the winner's, in ascending order.
function bestElements() {
  const most = new Map();
  for (const p of report.by_elements)
    most.set(p.elements, Math.max(most.get(p.elements) ?? 0, p.predicted, p.measured ?? 0));
  const order = [...most.keys()].sort((a, b) => most.get(b) - most.get(a));
  const kept = order.slice(0, kMostCurves);
  if (most.has(winner.elements) && !kept.includes(winner.elements))
    kept[kept.length - 1] = winner.elements;
  return {kept: kept.sort((a, b) => a - b), all: most.size};
}

// Separates overlapping labels {x, y}, none below `bottom`.
function spread(labels, bottom) {
  const kLine = 13;
  const near = (a, b) => Math.abs(a.x - b.x) < 18;
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((label, i) => {
    for (const above of labels.slice(0, i)) {
      if (near(label, above)) label.y = Math.max(label.y, above.y + kLine);
    }
  });
  for (let i = labels.length - 1; i >= 0; --i) {
    labels[i].y = Math.min(labels[i].y, bottom);
    for (const below of labels.slice(i + 1)) {
      if (near(labels[i], below)) labels[i].y = Math.min(labels[i].y, below.y - kLine);
    }
  }
}

function hintOfRates(p, unit) {
  const rate = (value) => unit.flops ?
      `${threeDigits(value * unit.scale)} ${unit.name} (${threeDigits(value)} GCells/s)` :
      `${threeDigits(value)} ${unit.name}`;
  return [
    html("div", {}, `T=${p.time_tile}, ${p.elements}${kOf}`), html("code", {}, p.schedule),
    html("div", {}, `${rate(p.predicted)} predicted, `,
        html("span", {class: "limit", "data-limit": p.limit}, p.limit)),
    isNumber(p.measured) ? html("div", {}, `${rate(p.measured)} measured`) : null,
    isNumber(p.measured) && p.timed !== p.schedule ? html("code", {}, p.timed) : null
  ].filter((line) => line);
}

function elementCurves() {
  const section = document.getElementById("elements");
  const note = section.querySelector(".note");
  const why = whyNoCurves();
  if (why) {
    note.textContent = why;
    section.querySelector(".chart").remove();
    return;
  }
  // Without floating-point operations, only points can be counted.
  const unit = report.flops > 0 ? {name: "GFLOP/s", scale: report.flops, flops: true} :
                                  {name: "GCells/s", scale: 1, flops: false};
  const {kept, all} = bestElements();
  const points = report.by_elements.filter((p) => kept.includes(p.elements));
  const timed = points.filter((p) => isNumber(p.measured));
  const flops = String(Number(report.flops.toPrecision(3)));
  const operations = unit.flops ?
      `The program as written has ${flops} floating-point operations per point and step, averaged ` +
          "over the grid; values that two tiles compute count once. " :
      "The program has no floating-point operations, so points are counted. ";
  note.textContent = "The best schedule of each T and number of points per thread that is not " +
      `expected to spill. ${operations}` +
      (all > kept.length ? `Shown are the ${kept.length} best of ${all} numbers. ` : "") +
      (timed.length > 0 ? "Lines are predicted, large dots measured." : "All is predicted.");
  const colour = (p) => `var(--curve-${kept.indexOf(p.elements) + 1})`;
  const place = section.querySelector(".chart");
  place.append(
      html("ul", {class: "legend"}, html("li", {}, "points per thread:"), kept.map((elements) => {
        const line = svg("path", {class: "curve", d: "M0 6H12"});
        line.style.stroke = colour({elements});
        return html("li", {}, svg("svg", {viewBox: "0 0 12 12", "aria-hidden": "true"}, line),
            String(elements));
      })));
  drawing(place, `${unit.name} over time tile, a curve for each number of points per thread`,
      heightOfChart, (root, width, height) => {
        const box = {...boxOf(width, height), right: width - (unit.flops ? 66 : 34)};
        const {scale: x, ticks} = timeScale(points, box.left, box.right);
        const most = points.reduce((m, p) => Math.max(m, p.predicted, p.measured ?? 0), 0) * 1.06;
        const y = linearScale(0, most * unit.scale, box.bottom, box.top);
        const yOf = (rate) => y(rate * unit.scale);
        axes(root, box, x, y, {
          xName: "T, steps per pass over memory",
          yName: unit.name,
          xTicks: ticks,
          yTicks: y.ticks(about(box).y),
          xText: String,
          yText: plainNumber
        });
        if (unit.flops) {
          const cells = linearScale(0, most, box.bottom, box.top);
          for (const value of cells.ticks(about(box).y)) {
            root.append(svg("path", {class: "axis", d: `M${box.right + 24} ${cells(value)}h4`}),
                text(box.right + 32, cells(value) + 4, plainNumber(value)));
          }
          root.append(
              svg("path", {class: "axis", d: `M${box.right + 24} ${box.top}V${box.bottom}`}),
              text(width, box.top - 12, "GCells/s", {"text-anchor": "end"}));
        }
        const labels = [];
        for (const elements of kept) {
          const line = points.filter((p) => p.elements === elements);
          const places = line.map((p) => [x(p.time_tile), yOf(p.predicted)]);
          const curve = svg("path", {class: "curve", d: lineThrough(places)});
          curve.style.stroke = colour({elements});
          const dots = svg("path", {d: places.map(([x, y]) => mark("memory", x, y, 2)).join("")});
          dots.style.fill = colour({elements});
          root.append(curve, dots);
          const end = line.at(-1);
          labels.push({
            words: elements,
            colour: colour(end),
            x: x(end.time_tile) + 6,
            y: yOf(end.predicted) + 4
          });
        }
        for (const p of timed) {
          root.append(svg("path", {
            class: "timed",
            style: `fill: ${colour(p)}`,
            d: mark("memory", x(p.time_tile), yOf(p.measured), 4.2)
          }));
        }
        spread(labels, box.bottom - 3);
        for (const label of labels) {
          root.append(text(label.x, label.y, label.words,
              {class: "halo-of-text", style: `fill: ${label.colour}`}));
        }
        const at = (p, rate) => [p, [x(p.time_tile), yOf(rate)]];
        const places =
            [...points.map((p) => at(p, p.predicted)), ...timed.map((p) => at(p, p.measured))];
        root.append(
            pointedPlane({...box, right: box.right + 20}, places, (p) => hintOfRates(p, unit)));
      });
}

// --- Cost per point (figure 8 of that paper) ---

const kCosts = [
  {name: "words loaded from memory", of: (p) => p.words_loaded},
  {name: "words to and from shared memory", of: (p) => p.words_shared},
  {name: "instructions, weighted", of: (p) => p.instructions},
  {name: "points computed per useful one", of: (p) => p.redundancy, base: 1},
];

function hintOfCosts(p) {
  return [
    html("div", {}, `T=${p.time_tile}, ${p.elements}${kOf}`), html("code", {}, p.schedule),
    ...kCosts.map((cost) => html("div", {}, `${threeDigits(cost.of(p))} ${cost.name}`))
  ];
}

function costCurves() {
  const section = document.getElementById("costs");
  const note = section.querySelector(".note");
  const why = whyNoCurves();
  if (why) {
    note.textContent = why;
    section.querySelector(".chart").remove();
    return;
  }
  // Far beyond the best T, costs are so high that they would hide everything else.
  const best = report.by_time_tile.reduce((a, b) => (b.predicted > a.predicted ? b : a));
  const paying = report.by_time_tile.filter((p) => p.predicted >= best.predicted / 4);
  const deepest = Math.max(paying.at(-1).time_tile, report.by_time_tile[1].time_tile);
  const ofEachT = report.by_time_tile.filter((p) => p.time_tile <= deepest);
  const ofWinner =
      report.by_elements.filter((p) => p.elements === winner.elements && p.time_tile <= deepest);
  let points = ofEachT;
  const shownCosts = () => kCosts.filter((cost) => points.some((p) => cost.of(p) > 0));
  const say = () => {
    note.textContent = "Counts per useful point and step. Words have 32 bits" +
        (shownCosts().length < kCosts.length ?
                "; no words pass through shared memory. " :
                "; words that a warp exchanges in registers do not count as shared memory. ") +
        "Redundant work is shaded." +
        (ofEachT.length < report.by_time_tile.length ?
                ` T above ${deepest} is left out: it reaches less than a quarter of the best.` :
                "");
  };
  say();
  if (report.by_elements.some((p) => p.elements !== winner.elements) && ofWinner.length > 1) {
    const choices = [[ofEachT, "best"], [ofWinner, `${winner.elements}${kOf}`]];
    section.querySelector("h2").append(choiceOf("Which schedules", choices, points, (chosen) => {
      points = chosen;
      say();
      again();
    }));
  }
  const kGap = 26;
  const kHeight = 190;
  const columnsFor = (width) => (width >= 900 ? 4 : width >= 430 ? 2 : 1);
  const rowsFor = (width) => Math.ceil(shownCosts().length / columnsFor(width));
  const again = drawing(section.querySelector(".chart"), "What a point costs, over the time tile",
      (width) => rowsFor(width) * kHeight + 18, (root, width) => {
        const columns = columnsFor(width);
        const each = (width - (columns - 1) * kGap) / columns;
        shownCosts().forEach((cost, i) => {
          const left = (i % columns) * (each + kGap);
          const top = Math.floor(i / columns) * kHeight;
          const box =
              {left: left + 40, right: left + each - 6, top: top + 28, bottom: top + kHeight - 28};
          const {scale: x, ticks} = timeScale(points, box.left, box.right);
          const most = points.reduce((m, p) => Math.max(m, cost.of(p)), cost.base ?? 0) * 1.08;
          const y = linearScale(0, most, box.bottom, box.top);
          for (const value of y.ticks(4)) {
            root.append(svg("path", {class: "grid", d: `M${box.left} ${y(value)}H${box.right}`}),
                text(box.left - 7, y(value) + 4, plainNumber(value), {"text-anchor": "end"}));
          }
          for (const T of ticks)
            root.append(text(x(T), box.bottom + 16, T, {"text-anchor": "middle"}));
          root.append(
              svg("path", {class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`}),
              text(left, top + 14, cost.name, {class: "ink"}));
          if (i === 0) root.append(text(left + 12, box.bottom + 16, "T", {}));
          const places = points.map((p) => [x(p.time_tile), y(cost.of(p))]);
          const line = lineThrough(places);
          if (cost.base) {
            // Redundant work is above the useful point.
            const useful = `L${places.at(-1)[0]} ${y(cost.base)}H${places[0][0]}Z`;
            root.append(svg("path", {class: "redundant", d: line + useful}));
          }
          const dots = places.map(([x, y]) => mark("memory", x, y, 2.4)).join("");
          root.append(svg("path", {class: "curve", d: line}), svg("path", {class: "dots", d: dots}),
              pointedPlane(box, points.map((p, i) => [p, places[i]]), hintOfCosts));
        });
      });
}
