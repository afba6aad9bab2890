"use strict";
// Shared by the charts: elements, numbers, scales, axes, and redrawing when the width changes.

const kSvg = "http://www.w3.org/2000/svg";

// Creates elements with attributes and children; text never becomes markup.
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return element;
}
const html = (name, attributes = {}, ...children) =>
    fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
    fill(document.createElementNS(kSvg, name), attributes, children);

// --- Numbers ---

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

// Same as explore::three_digits.
function threeDigits(value) {
  if (!isNumber(value)) return "-";
  const size = Math.abs(value);
  if (size >= 99.95 && size < 1e6) return value.toFixed(0);
  if (size >= 9.995 && size < 100) return value.toFixed(1);
  if (size >= 0.9995 && size < 10) return value.toFixed(2);
  return String(Number(value.toPrecision(3)));
}

// With a decimal prefix for a unit: 4.2e12 is "4.2 T".
function withPrefix(value) {
  const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [scale, prefix] = prefixes.find(([least]) => value >= least * 0.9995) ?? [1, ""];
  return `${Number((value / scale).toPrecision(3))} ${prefix}`;
}

// Truncates to a number of characters.
const shortened = (words, most) =>
    (words.length > most ? `${words.slice(0, Math.max(1, Math.floor(most) - 1))}…` : words);
const plainNumber = (value) => (value >= 1e5 ? withPrefix(value).trim() :
        value > 0 && value < 1e-3            ? value.toExponential() :
                                               String(Number(value.toPrecision(12))));
const withSign = (value) => (value === 0 ? "0" : (value < 0 ? "−" : "+") + Math.abs(value));

// --- Scales ---

function linearScale(low, high, from, to) {
  const scale = (value) => from + ((value - low) / (high - low)) * (to - from);
  scale.ticks = (about) => {
    const raw = (high - low) / about;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-9); ++k) ticks.push(k * step);
    return ticks;
  };
  return scale;
}

function logScale(low, high, from, to) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const scale = (value) => from + ((Math.log10(value) - a) / (b - a)) * (to - from);
  // The coarsest step with enough ticks.
  const choices =
      [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]];
  scale.ticks = (about) => {
    let ticks = [];
    for (const choice of choices) {
      ticks = [];
      for (let power = Math.floor(a); power <= Math.ceil(b); ++power) {
        for (const m of choice) {
          const value = m * 10 ** power;
          if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push(value);
        }
      }
      if (ticks.length >= Math.max(3, about / 2)) break;
    }
    while (ticks.length > 1.3 * about) ticks = ticks.filter((_, i) => i % 2 === 0);
    return ticks;
  };
  return scale;
}

// Minimum and maximum of positive values, widened by a factor; a default if there are none.
function logRange(values, factor) {
  const positive = values.filter((value) => isNumber(value) && value > 0);
  if (positive.length === 0) return [0.1, 10];
  const [low, high] =
      positive.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, 0]);
  return [low / factor, high * factor];
}

// --- Frames ---

let drawings = 0;
// Calls draw(root, width, height) with an empty <svg> as wide as `place`, and again when that width
// changes. `heightOf` computes the height from the width. Returns a function that redraws.
function drawing(place, title, heightOf, draw) {
  const id = `drawing-${++drawings}`;
  let width = 0;
  const again = () => {
    width = Math.floor(place.clientWidth);
    if (width <= 0) return;
    const height = heightOf(width);
    const root = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      height,
      role: "img",
      "aria-labelledby": id,
    },
        svg("title", {id}, title));
    draw(root, width, height);
    const old = place.querySelector(":scope > svg");
    if (old)
      old.replaceWith(root);
    else
      place.append(root);
  };
  again();
  new ResizeObserver(() => {
    if (Math.floor(place.clientWidth) !== width) again();
  }).observe(place);
  return again;
}

function text(x, y, words, attributes = {}) {
  return svg("text", {x, y, ...attributes}, String(words));
}

// Draws grid lines, tick labels and names of both axes within `box` {left, top, right, bottom}.
function axes(root, box, x, y, {xName, yName, xTicks, yTicks, xText, yText}) {
  for (const value of xTicks) {
    const at = x(value);
    root.append(svg("path", {class: "grid", d: `M${at} ${box.top}V${box.bottom}`}),
        text(at, box.bottom + 17, xText(value), {"text-anchor": "middle"}));
  }
  for (const value of yTicks) {
    const at = y(value);
    root.append(svg("path", {class: "grid", d: `M${box.left} ${at}H${box.right}`}),
        text(box.left - 8, at + 4, yText(value), {"text-anchor": "end"}));
  }
  root.append(svg("path", {class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`}),
      text(box.right, box.bottom + 35, xName, {"text-anchor": "end"}),
      text(0, box.top - 12, yName));
}

// --- Marks ---

const kLimits = ["memory", "cache", "instructions", "latency", "tail", "launch"];

// The shape that marks a limit, so that limits do not differ by colour alone.
function mark(limit, x, y, r) {
  const to = (dx, dy) => `${(x + dx * r).toFixed(1)} ${(y + dy * r).toFixed(1)}`;
  const polygon = (...corners) => `M${corners.map(([dx, dy]) => to(dx, dy)).join("L")}Z`;
  switch (limit) {
    case "cache":
      return polygon([0, -1.25], [1.2, 0.9], [-1.2, 0.9]);
    case "instructions":
      return polygon([0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]);
    case "latency":
      return polygon([0, 1.25], [1.2, -0.9], [-1.2, -0.9]);
    case "launch":
      return polygon([-1.3, -0.5], [1.3, -0.5], [1.3, 0.5], [-1.3, 0.5]);
    case "tail":
      return polygon([-0.5, -1.3], [0.5, -1.3], [0.5, 1.3], [-0.5, 1.3]);
    default: {
      const d = (2 * r).toFixed(1);
      return `M${to(-1, 0)}a${r} ${r} 0 1 0 ${d} 0a${r} ${r} 0 1 0 -${d} 0`;
    }
  }
}

function legend(limits) {
  return html("ul", {class: "legend"},
      kLimits.filter((limit) => limits.has(limit))
          .map((limit) => html("li", {"data-limit": limit},
                   svg("svg", {viewBox: "0 0 12 12", "aria-hidden": "true"},
                       svg("path", {d: mark(limit, 6, 6, 4.4)})),
                   limit)));
}

// Buttons of which one is active; calls `choose` with its value.
function choiceOf(name, options, chosen, choose) {
  const group = html("div", {class: "choice", role: "group", "aria-label": name});
  for (const [value, words] of options) {
    const button =
        html("button", {type: "button", "aria-pressed": String(value === chosen)}, words);
    button.addEventListener("click", () => {
      for (const other of group.children)
        other.setAttribute("aria-pressed", String(other === button));
      choose(value);
    });
    group.append(button);
  }
  return group;
}
