// Sources in colour, buttons that copy, and the start of everything.

const kWords = new Set(("param integer real grid field stencil init boundary reduce stop when step steps on history constant " +
  "require let where periodic clamp mirror for if else while return const void int unsigned long float double half bool " +
  "static inline struct union switch case default break continue do asm volatile extern template typename namespace " +
  "__global__ __device__ __shared__ __restrict__ __forceinline__ __launch_bounds__ __kernel __local kernel local global").split(" "));

function highlight(code) {
  const source = code.textContent;
  if (source.length > 400000) return;
  const token = /(\/\/[^\n]*|\/\*[^]*?\*\/)|("(?:[^"\\\n]|\\.)*")|\b(0[xX][\da-fA-F]+\w*|\d+\.?\d*(?:[eE][+-]?\d+)?\w*)|([A-Za-z_]\w*)/g;
  const parts = [];
  let plain = 0;
  for (const match of source.matchAll(token)) {
    const kind = match[1] ? "comment" : match[2] || match[3] ? "literal" : kWords.has(match[4]) ? "word" : null;
    if (!kind) continue;
    if (match.index > plain) parts.push(source.slice(plain, match.index));
    parts.push(html("span", { class: kind }, match[0]));
    plain = match.index + match[0].length;
  }
  parts.push(source.slice(plain));
  code.replaceChildren(...parts);
}

// navigator.clipboard is not there for a page of a plain file in every browser.
async function copyText(words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const area = html("textarea", { style: "position: fixed; opacity: 0" });
    area.value = words;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.(".copy");
  if (!button) return;
  event.stopPropagation();
  await copyText(button.parentElement.querySelector("code").textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1400);
}, true);

document.documentElement.classList.add("scripted");
document.body.append(hint);
if (candidates.length > 0) {
  filterBar();
  rankingTable();
  roofline();
  agreement();
  timeTiles();
  terms();
} else {
  for (const id of ["ranking", "roofline", "agreement", "tiles", "terms"]) document.getElementById(id).remove();
}
if (tile) {
  halo();
  spaceTime();
} else {
  document.getElementById("tile").remove();
}
for (const code of document.querySelectorAll("pre code")) highlight(code);
