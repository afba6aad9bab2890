// The ranking table: sorted and filtered; shows a few rows at a time for speed.

const kRowsAtFirst = 15;
const kRowsMore = 50;
const kRowsMost = 500;  // maximum: layout of thousands takes a second

// Sort keys of the columns, in order. Text columns start ascending, numbers as given by `best`.
const columns = [
  {value: (c) => c.rank, best: "ascending"},
  {value: lineOf, best: "ascending"},
  {value: (c) => c.predicted, best: "descending"},
  {value: (c) => c.measured, best: "descending"},
  {value: (c) => c.limit, best: "ascending"},
  {value: (c) => c.headroom, best: "descending"},
  {value: (c) => c.redundancy, best: "ascending"},
  {value: (c) => c.memory_bytes, best: "ascending"},
  {value: registersOf, best: "ascending"},
  {value: (c) => c.occupancy, best: "descending"},
];

function rankingTable() {
  const table = document.getElementById("candidates");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const more = document.getElementById("more");
  const open = new Set();  // open rows, by rank
  let sorted = {column: 0, ascending: true};
  let rows = [];
  table.classList.toggle("unmeasured", !anyMeasured);
  let count = kRowsAtFirst;

  function cell(value) {
    return html("td", {class: "number"}, value);
  }

  function toggle(c, row) {
    if (open.delete(c.rank)) {
      row.nextElementSibling.remove();
    } else {
      open.add(c.rank);
      row.after(detailsOf(c));
    }
    row.classList.toggle("open", open.has(c.rank));
    row.querySelector(".opener").setAttribute("aria-expanded", String(open.has(c.rank)));
  }

  function rowOf(c) {
    const opener = html("button",
        {type: "button", class: "opener", "aria-expanded": String(open.has(c.rank))}, lineOf(c));
    const row = html("tr", {
      class: `candidate${c.chosen ? " chosen" : ""}${open.has(c.rank) ? " open" : ""}`,
      "data-rank": c.rank
    },
        cell(c.rank), html("th", {scope: "row"}, opener), cell(threeDigits(c.predicted)),
        cell(isNumber(c.measured) ? threeDigits(c.measured) : ""),
        html("td", {}, html("span", {class: "limit", "data-limit": c.limit}, c.limit)),
        cell(threeDigits(c.headroom)), cell(threeDigits(c.redundancy)),
        cell(threeDigits(c.memory_bytes)), cell(registersOf(c)),
        cell(`${(c.occupancy * 100).toFixed(0)}%`));
    row.addEventListener("click", () => {
      if (String(getSelection()) === "") toggle(c, row);
    });
    row.addEventListener("pointerenter", () => tell("point", c));
    row.addEventListener("pointerleave", () => tell("point", null));
    return open.has(c.rank) ? [row, detailsOf(c)] : [row];
  }

  function show() {
    body.replaceChildren(...rows.slice(0, count).flatMap(rowOf));
    offerMore();
  }

  function offerMore() {
    const left = rows.length - count;
    const further = (words, by) => {
      const button = html("button", {type: "button"}, words);
      button.addEventListener("click", () => {
        body.append(...rows.slice(count, count + by).flatMap(rowOf));
        count += by;
        offerMore();
      });
      return button;
    };
    more.replaceChildren();
    if (left > 0)
      more.append(further(`Show ${Math.min(left, kRowsMore)} more of ${left}`, kRowsMore));
    if (left > kRowsMore)
      more.append(further(
          left > kRowsMost ? `Show ${kRowsMost} more` : "Show all", Math.min(left, kRowsMost)));
  }

  function sort() {
    const {value} = columns[sorted.column];
    const sign = sorted.ascending ? 1 : -1;
    const absent = (v) => v === null || v === undefined;
    rows = candidates.filter((c) => shown.has(c)).sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (absent(x) || absent(y))
        return absent(x) - absent(y) || a.rank - b.rank;  // last in both directions
      return (x < y ? -sign : x > y ? sign : 0) || a.rank - b.rank;
    });
    heads.forEach((head, i) => {
      if (i === sorted.column)
        head.setAttribute("aria-sort", sorted.ascending ? "ascending" : "descending");
      else
        head.removeAttribute("aria-sort");
    });
    count = kRowsAtFirst;
    show();
  }

  heads.forEach((head, i) => {
    const button = html("button", {type: "button"}, head.textContent);
    button.addEventListener("click", () => {
      sorted = {
        column: i,
        ascending: sorted.column === i ? !sorted.ascending : columns[i].best === "ascending"
      };
      sort();
    });
    head.replaceChildren(button);
  });
  listeners.filter.push(sort);
  listeners.pick.push((c) => {
    const at = rows.indexOf(c);
    if (at < 0) return;
    if (at >= count) {
      count = at + 1;
      show();
    }
    const row = body.querySelector(`tr.candidate[data-rank="${c.rank}"]`);
    if (!open.has(c.rank)) toggle(c, row);
    row.scrollIntoView({block: "center", behavior: "smooth"});
    row.querySelector(".opener").focus({preventScroll: true});
  });
  sort();
}

// --- Details of a row ---

function listOf(name, entries) {
  return html("div", {}, html("h4", {}, name),
      html("dl", {}, entries.filter(([, value]) => value !== undefined && value !== null).flatMap(([
        words, value
      ]) => [html("dt", {}, words), html("dd", {}, String(value))])));
}

function termsOf(c) {
  const whole = secondsOf(c);
  const list = html("dl");
  let start = overlapEnd(c);
  for (const term of c.terms) {
    const bar = html("dd", {class: "bar", "data-limit": term.name});
    bar.style.setProperty("--share", `${(100 * term.seconds) / whole}%`);
    if (!term.overlaps) {
      bar.style.setProperty("--start", `${(100 * start) / whole}%`);
      start += term.seconds;
    }
    list.append(
        html("dt", {}, term.name), html("dd", {}, `${threeDigits(term.seconds * 1e12)} ps`), bar);
  }
  list.append(html("dt", {}, "in all"), html("dd", {}, `${threeDigits(whole * 1e12)} ps`));
  return html("div", {}, html("h4", {}, "Time per point and step"), list);
}

// Machine code of its kernels, if they were compiled.
function codesOf(c) {
  return c.code.map((code) => listOf(`Machine code of ${code.kernel}, per iteration`, [
    ...code.issued.map((count) => [count.name, threeDigits(count.count)]),
    ["issue slots", isNumber(code.issued_slots) ? threeDigits(code.issued_slots) : undefined],
    ["not known", code.unmatched ?? undefined],
    ["issue slots, predicted", threeDigits(code.counted_slots)]
  ]));
}

function detailsOf(c) {
  const counts = [
    ...c.counts.map((count) => [count.name, threeDigits(count.count)]),
    ["in all, weighted", threeDigits(c.instructions)]
  ];
  const moved = [
    ["memory", `${threeDigits(c.memory_bytes)} B`], ["cache", `${threeDigits(c.cache_bytes)} B`],
    ["shared memory", `${threeDigits(c.shared_bytes_moved)} B`],
    ["points computed per useful one", threeDigits(c.redundancy)]
  ];
  const block = [
    ["threads", c.threads], ["registers, predicted", c.registers],
    ["registers, compiled", c.compiled_registers],
    ["spills, predicted", c.spills ? "yes" : undefined],
    ["spills", isNumber(c.spill_bytes) ? `${c.spill_bytes} B` : undefined],
    ["shared memory", `${c.shared_bytes} B`], ["blocks per launch", c.blocks],
    ["blocks per multiprocessor", c.resident_blocks],
    ["occupancy", `${(c.occupancy * 100).toFixed(0)}%`], ["waves", threeDigits(c.waves)],
    ["next limit", `${threeDigits(c.headroom)}× away`]
  ];
  return html("tr", {class: "details"},
      html("td", {colspan: columns.length},
          html("div", {class: "details-body"},
              html("div", {class: "copied"}, html("code", {}, c.schedule),
                  html("button", {type: "button", class: "copy", "aria-label": "Copy the schedule"},
                      "Copy")),
              c.reason ? html("p", {}, c.reason) : null,
              html("div", {class: "details-lists"}, termsOf(c),
                  listOf("Instructions per point and step", counts),
                  listOf("Moved per point and step", moved), listOf("Blocks", block),
                  ...codesOf(c)))));
}

// --- The filter ---

function filterBar() {
  const bar = document.getElementById("filters");
  const families = [...shown.families];
  const found = html("output", {"aria-live": "polite"});
  const say = () => {
    const all = candidates.length;
    const some = candidates.filter((c) => shown.has(c)).length;
    found.textContent = some === all ? `${all} schedules` : `${some} of ${all} schedules`;
  };
  const changed = () => {
    say();
    tell("filter");
  };
  if (families.length > 1) {
    for (const family of families) {
      const button = html("button", {type: "button", "aria-pressed": "true"}, family);
      button.addEventListener("click", () => {
        if (!shown.families.delete(family)) shown.families.add(family);
        button.setAttribute("aria-pressed", String(shown.families.has(family)));
        changed();
      });
      bar.append(button);
    }
  }
  const input = html("input",
      {type: "search", placeholder: "T=4 loads=async", "aria-label": "Words of the schedule line"});
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      shown.words = input.value.split(/\s+/).filter((word) => word !== "");
      changed();
    }, 120);
  });
  bar.append(input, found);
  say();
}
