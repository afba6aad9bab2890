// The candidates: filter, hover, and listeners for both.

const report = JSON.parse(document.getElementById("report").textContent);
const candidates = report.candidates;
const winner = candidates.find((c) => c.chosen) ?? candidates[0];
const anyMeasured = candidates.some((c) => isNumber(c.measured));
const lineOf = (c) => c.brief || c.schedule;
const registersOf = (c) => c.compiled_registers ?? c.registers;
const limitsSeen = new Set(candidates.map((c) => c.limit));

// The expected time per point and step, and the time at which the non-overlapping terms begin.
const secondsOf = (c) => 1e-9 / c.predicted;
const overlapEnd = (c) =>
    Math.max(0, secondsOf(c) - c.terms.reduce((sum, t) => sum + (t.overlaps ? 0 : t.seconds), 0));

// A filter word that equals a complete word of some schedule, such as T=1, does not match T=16.
const everyWord = new Set(candidates.flatMap((c) => c.schedule.split(" ")));
const shown = {
  families: new Set(candidates.map((c) => c.family)),
  words: [],
  has(c) {
    const has = (word) =>
        everyWord.has(word) ? c.schedule.split(" ").includes(word) : c.schedule.includes(word);
    return this.families.has(c.family) && this.words.every(has);
  },
};

// Listeners: filter changed, pointer at a candidate (or none), candidate picked.
const listeners = {
  filter: [],
  point: [],
  pick: []
};
function tell(what, value) {
  for (const listener of listeners[what]) listener(value);
}

// --- Tooltip ---

const hint = html("div", {id: "hint", hidden: "", "aria-hidden": "true"});

function showHint(event, ...lines) {
  hint.replaceChildren(...lines);
  hint.hidden = false;
  const {width, height} = hint.getBoundingClientRect();
  const right = event.clientX + 16 + width < innerWidth - 8;
  const x = right ? event.clientX + 16 : Math.max(8, event.clientX - width - 16);
  const y = Math.min(Math.max(8, event.clientY - height / 2), innerHeight - height - 8);
  hint.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}
function hideHint() {
  hint.hidden = true;
}

function hintOf(c) {
  const rates = `${threeDigits(c.predicted)} predicted` +
      (isNumber(c.measured) ? `, ${threeDigits(c.measured)} measured` : "") + " GCells/s";
  return [
    html("code", {}, lineOf(c)), html("div", {}, `rank ${c.rank}: ${rates}`),
    html("div", {}, html("span", {class: "limit", "data-limit": c.limit}, c.limit),
        c.reason ? ` – ${c.reason}` : "")
  ];
}
