// The winner's tile: boxes in space, and the order of work.

const tile = report.winner;
const lastStep = tile ? tile.stages.reduce((most, s) => Math.max(most, s.step), 1) : 1;

function stepColour(step) {
  if (step === 0) return "var(--step-loaded)";
  const share = lastStep === 1 ? 100 : (100 * (step - 1)) / (lastStep - 1);
  return `color-mix(in oklab, var(--step-last) ${share.toFixed(1)}%, var(--step-first))`;
}
const inkOn = (step) =>
    (step > 0 && step > (lastStep + 1) / 2 || lastStep === 1 && step === 1 ? "var(--on-last)" :
                                                                             "var(--on-step)");

function box(x, y, width, height, step, words) {
  const element = svg("rect", {x, y, width: Math.max(0, width), height: Math.max(0, height)},
      svg("title", {}, words));
  element.style.fill = stepColour(step);
  element.style.stroke = "var(--paper)";
  return element;
}
function textOn(step, x, y, words) {
  const element = text(x, y, words, {"text-anchor": "middle", class: "small"});
  element.style.fill = inkOn(step);
  return element;
}

function stepLegend() {
  const list = html("ul", {class: "legend"});
  const every = Math.ceil(lastStep / 10);
  for (let step = 0; step <= lastStep; ++step) {
    if (step > 1 && step % every !== 0) continue;
    const swatch = svg("path", {d: "M0 0H12V12H0Z"});
    swatch.style.fill = stepColour(step);
    list.append(html("li", {}, svg("svg", {viewBox: "0 0 12 12", "aria-hidden": "true"}, swatch),
        step === 0     ? "loaded" :
            step === 1 ? "step 1" :
                         String(step)));
  }
  return list;
}

const sidesOf = ({low, high}) => `${withSign(-low)} … ${withSign(high)}`;
const describeBox = (margin) =>
    margin.map((side, d) => `${report.axes[d]} ${sidesOf(side)}`).join(", ");

// One dimension, starting at `from`: halo cells to scale on both sides of the output box, whose points
// may be drawn shorter.
function sides(low, high, points, cell, pointSize, from) {
  const core = Math.max(2 * cell, points * pointSize);
  const begin = from + low * cell;
  const end = begin + core;
  return {
    begin,
    end,
    core,
    size: core + (low + high) * cell,
    shortened: core < points * cell - 0.5,
    low: (side) => Math.min(begin - side.low * cell, begin + core / 2),
    high: (side) => Math.max(end + side.high * cell, end - core / 2),
  };
}

// Length of an output-box point: that of a halo cell, if there is room.
function pointSizeFor(low, high, points, cell, room) {
  return Math.min(cell, (room - (low + high) * cell) / points);
}

// The maximum extent of any box in dimension d.
function farthest(boxes, d) {
  return {
    low: boxes.reduce((most, b) => Math.max(most, b[d].low), 0),
    high: boxes.reduce((most, b) => Math.max(most, b[d].high), 0)
  };
}

// --- Halo in space ---

const kNameHeight = 26;  // height of a field name above its drawing

function haloOf(place, boxes, name) {
  const rank = report.axes.length;
  const [v, h] = [rank - 2, rank - 1];
  const all = boxes.map((b) => b.margin);
  const wide = farthest(all, h);
  const tall = farthest(all, v);
  const layout = (width) => {
    const room = {x: width - 70, y: 280};
    const cell = Math.min(16, (0.62 * room.x) / Math.max(1, wide.low + wide.high),
        (0.62 * room.y) / Math.max(1, tall.low + tall.high));
    const point = Math.min(pointSizeFor(wide.low, wide.high, tile.output[h], cell, room.x),
        pointSizeFor(tall.low, tall.high, tile.output[v], cell, room.y));
    return {
      cell,
      x: sides(wide.low, wide.high, tile.output[h], cell, point, 0),
      y: sides(tall.low, tall.high, tile.output[v], cell, point, kNameHeight)
    };
  };
  drawing(place, `Halo of ${name} at every step`,
      (width) => layout(width).y.size + kNameHeight + 44, (root, width) => {
        const {cell, x, y} = layout(width);
        root.append(text(0, 14, name, {class: "ink"}));
        const ordered = [...boxes].sort((a, b) => a.step - b.step);
        ordered.forEach((b) => {
          const [left, right] = [x.low(b.margin[h]), x.high(b.margin[h])];
          const [top, bottom] = [y.low(b.margin[v]), y.high(b.margin[v])];
          root.append(box(left, top, right - left, bottom - top, b.step,
              `${b.step === 0 ? "loaded" : `step ${b.step}, ${b.function}`}: ${
                  describeBox(b.margin)}`));
        });
        // The step number is in the ring between its box and the next smaller one.
        ordered.forEach((b, i) => {
          const next = ordered.slice(i + 1).find((o) => o.margin[h].low < b.margin[h].low);
          const inner = next ? x.low(next.margin[h]) : x.begin;
          const outer = x.low(b.margin[h]);
          const hidden = ordered.slice(i + 1).some(
              (o) => o.margin[h].low === b.margin[h].low && o.margin[v].low === b.margin[v].low);
          if (inner - outer >= 9 && !hidden)
            root.append(textOn(b.step, (inner + outer) / 2, (y.begin + y.end) / 2 + 4, b.step));
        });
        const sizes = `${tile.output[v]} × ${tile.output[h]}`;
        root.append(svg("rect", {
          class: "roof",
          x: x.begin,
          y: y.begin,
          width: x.core,
          height: y.core,
          "stroke-dasharray": "4 3"
        }));
        const label = x.core > 110 && y.core > 40 ? [["output box", -4], [sizes, 12]] :
            x.core > 52                           ? [[sizes, 4]] :
                                                    [];
        const inside = ordered.at(-1)?.step ?? 0;
        for (const [words, dy] of label) {
          root.append(textOn(inside, (x.begin + x.end) / 2, (y.begin + y.end) / 2 + dy, words));
        }
        const right = x.size + 10;
        const under = y.size + kNameHeight + 16;
        const along = (words, at) => root.append(text(at, under, words, {"text-anchor": "middle"}));
        along(wide.low, x.begin - (wide.low * cell) / 2);
        along(`${report.axes[h]}: ${tile.output[h]}`, (x.begin + x.end) / 2);
        along(wide.high, x.end + (wide.high * cell) / 2);
        root.append(text(right, y.begin - (tall.low * cell) / 2 + 4, tall.low),
            text(right, (y.begin + y.end) / 2 + 4, `${report.axes[v]}: ${tile.output[v]}`),
            text(right, y.end + (tall.high * cell) / 2 + 4, tall.high));
        if (x.shortened || y.shortened)
          root.append(
              text(0, under + 18, "The output box is drawn shorter than it is.", {class: "small"}));
      });
}

function halo() {
  const place = document.querySelector("#halo .chart");
  const rank = report.axes.length;
  const note = document.getElementById("halo-note");
  const fields = [...new Set(tile.halo.map((b) => b.field))];
  place.append(stepLegend());
  if (rank === 1) {
    note.textContent = "Points of a field that are needed after each step; time goes upwards.";
    for (const field of fields) {
      const boxes = tile.halo.filter((b) => b.field === field);
      const part = html("div");
      place.append(part);
      timeBoxes(part, `Halo of ${field} at every step`, boxes.map((b) => ({
        step: b.step,
        margin: b.margin,
        words: b.step === 0 ? "loaded" : `step ${b.step}`
      })),
          field);
    }
    return;
  }
  const others = report.axes.slice(0, -2);
  note.textContent = `Points of a field that are needed after each step, in ${report.axes.at(-2)} and ${
                         report.axes.at(-1)}` +
      (others.length > 0 ? `, seen along ${others.join(", ")}` : "") +
      ". Numbers are steps; sides are in points.";
  for (const field of fields) {
    const part = html("div");
    place.append(part);
    haloOf(part, tile.halo.filter((b) => b.field === field), field);
  }
}

// --- Boxes over time ---

// One row per box, the first at the bottom; one column per displayed (last) dimension.
function timeBoxes(place, title, rows, name) {
  const rank = report.axes.length;
  const dimensions = [...report.axes.keys()].slice(-3);
  const high = rows.length > 24 ? 9 : rows.length > 12 ? 16 : 24;
  const top = 34;
  drawing(place, title, () => top + rows.length * high + 26, (root, width) => {
    const left = Math.min(150, Math.max(64, width * 0.2));
    const gap = 18;
    const room = (width - left - gap * (dimensions.length - 1)) / dimensions.length;
    if (name) root.append(text(0, 14, name, {class: "ink"}));
    rows.forEach((row, i) => {
      const first = i === 0 || rows[i - 1].step !== row.step;
      const y = top + (rows.length - 1 - i) * high;
      if (high >= 12 || (first && row.step % Math.ceil(13 / high) === 0)) {
        const words = high >= 12 ? row.words : row.step;
        root.append(text(left - 10, y + high / 2 + 4, shortened(String(words), left / 6.4 - 1),
            {"text-anchor": "end", class: "small"}));
      }
    });
    dimensions.forEach((d, k) => {
      const all = rows.map((row) => row.margin);
      const far = farthest(all, d);
      const from = left + k * (room + gap);
      const cell = Math.min(16, (0.62 * room) / Math.max(1, far.low + far.high));
      const x = sides(far.low, far.high, tile.output[d], cell,
          pointSizeFor(far.low, far.high, tile.output[d], cell, room), from);
      rows.forEach((row, i) => {
        const y = top + (rows.length - 1 - i) * high;
        const [a, b] = [x.low(row.margin[d]), x.high(row.margin[d])];
        root.append(
            box(a, y + 1, b - a, high - 2, row.step, `${row.words}: ${describeBox(row.margin)}`));
      });
      root.append(svg("path", {
        class: "roof",
        "stroke-dasharray": "4 3",
        d: `M${x.begin} ${top - 4}V${top + rows.length * high + 4}M${x.end} ${top - 4}V${
            top + rows.length * high + 4}`
      }),
          text((x.begin + x.end) / 2, top - 10,
              rank > 1 || !name ? `${report.axes[d]}: ${tile.output[d]}` :
                                  `output: ${tile.output[d]}`,
              {"text-anchor": "middle", class: "ink small"}),
          text(x.begin - (far.low * cell) / 2, top + rows.length * high + 18, far.low,
              {"text-anchor": "middle", class: "small"}),
          text(x.end + (far.high * cell) / 2, top + rows.length * high + 18, far.high,
              {"text-anchor": "middle", class: "small"}));
    });
  });
}

// --- Planes over iterations ---

function planes(place) {
  const loads = tile.halo.filter((b) => b.step === 0).map((b) => b.margin);
  const loaded = loads.length > 0 ? farthest(loads, 0) : {low: 0, high: 0};
  const rows = [
    {step: 0, words: "loaded", lag: 0, margin: loaded}, ...tile.stages.map((s) => ({
      step: s.step,
      words: `step ${s.step}`,
      name: s.function,
      lag: s.lag,
      margin: s.computed[0]
    }))
  ];
  const written = tile.output[0];
  const deepest = rows.reduce((most, row) => Math.max(most, row.lag), 0);
  const iterations = Math.max(written + loaded.low + deepest, written + loaded.low + loaded.high);
  const several = new Set(tile.stages.map((s) => s.function)).size > 1;
  const high = rows.length > 24 ? 14 : rows.length > 12 ? 20 : 30;
  const top = 8;
  drawing(place, "Planes of loads and stages, over the iterations of a block",
      () => top + rows.length * high + 40, (root, width) => {
        const left = several ? Math.min(150, Math.max(92, width * 0.24)) : 62;
        // Space for filling the pipeline, if cells stay visible.
        const cell = Math.min(
            28, Math.max(13, (width - left) / Math.min(iterations, loaded.low + deepest + 9)));
        const columns = Math.floor((width - left) / cell);
        const head = iterations <= columns ?
            iterations :
            Math.max(Math.ceil(columns * 0.65), Math.min(loaded.low + deepest + 3, columns - 4));
        const tail = iterations <= columns ? 0 : Math.max(0, columns - head - 1);
        const shownColumns = [];  // [column, iteration]
        for (let i = 0; i < head; ++i) shownColumns.push([i, i]);
        for (let i = 0; i < tail; ++i) shownColumns.push([head + 1 + i, iterations - tail + i]);
        rows.forEach((row, r) => {
          const y = top + (rows.length - 1 - r) * high;
          const two = high >= 30;
          root.append(text(left - 10, y + (two ? 14 : high / 2 + 4),
              several && row.name ? shortened(`${row.step} ${row.name}`, left / 6.6 - 1) :
                                    row.words,
              {"text-anchor": "end", class: "ink small"}));
          if (two)
            root.append(text(left - 10, y + 26, row.step === 0 ? "the front" : `lag ${row.lag}`,
                {"text-anchor": "end", class: "small"}));
          for (const [column, iteration] of shownColumns) {
            const plane = iteration - loaded.low - row.lag;
            if (plane < -row.margin.low || plane >= written + row.margin.high) continue;
            const x = left + column * cell;
            const inside = plane >= 0 && plane < written;
            const element = box(x + 0.5, y + 1.5, cell - 1, high - 3, row.step,
                `iteration ${iteration}: ${row.words}, plane ${plane}${inside ? "" : ", halo"}`);
            element.setAttribute("rx", 2);
            if (!inside) {
              element.style.fillOpacity = "0.35";
              element.style.stroke = stepColour(row.step);
              element.style.strokeDasharray = "2 2";
            }
            root.append(element);
            const words = String(plane).replace("-", "−");
            if (cell >= Math.max(18, 7 * words.length + 4) && high >= 14) {
              const number = textOn(inside ? row.step : 0, x + cell / 2, y + high / 2 + 4, words);
              if (!inside) number.style.fill = "var(--faint)";
              root.append(number);
            }
          }
        });
        const under = top + rows.length * high + 15;
        shownColumns.forEach(([column, iteration], i) => {
          if (i % Math.ceil(44 / cell) === 0)
            root.append(text(left + (column + 0.5) * cell, under, iteration,
                {"text-anchor": "middle", class: "small"}));
        });
        if (tail > 0)
          root.append(text(left + (head + 0.5) * cell, under, "…", {"text-anchor": "middle"}));
        root.append(text(left, under + 18, `iteration, of ${iterations}`, {class: "small"}));
      });
}

function spaceTime() {
  const place = document.querySelector("#schedule .chart");
  const note = document.getElementById("schedule-note");
  if (!tile.streams) {
    note.textContent =
        "The box that each stage computes; time goes upwards. " +
        "The dashed output box is not to scale.";
    place.append(stepLegend());
    const loads = tile.halo.filter((b) => b.step === 0).map((b) => b.margin);
    const loaded = report.axes.map((_, d) => farthest(loads, d));
    timeBoxes(place, "Boxes that the stages of a tile compute",
        [
          {step: 0, words: "loaded", margin: loaded},
          ...tile.stages.map(
              (s) => ({step: s.step, words: `${s.step} ${s.function}`, margin: s.computed}))
        ],
        "");
    return;
  }
  const [axis, written] = [report.axes[0], tile.output[0]];
  note.textContent =
      `Planes in ${axis}; each iteration advances by one plane. A stage follows the front at its ` +
      `lag. Numbers are planes of the chunk; dashed planes are halo. ` +
      `A block writes ${written} planes` +
      (tile.planes_loaded > 0 ? ` and loads ${tile.planes_loaded}` : "") +
      (tile.prefetch > 0 ? `, ${tile.prefetch} ahead of the front.` : ".");
  place.append(stepLegend());
  planes(place);
}
