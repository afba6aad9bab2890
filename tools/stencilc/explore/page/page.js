// Syntax highlighting, copy buttons, and start-up.

const words = (text) => new Set(text.split(/\s+/));
const kProgramWords = words(`and boundary clamp constant every false field function grid history in
  init integer let mirror none not of on or origin param periodic real reduce require spacing
  stencil steps stop subgrid table true type vector when`);
const kKernelWords = words(`asm bool break case char const continue default do double else extern
  float for half if inline int long namespace return short signed static struct switch template
  typename union unsigned using void volatile while
  __global__ __device__ __shared__ __restrict__ __forceinline__ __launch_bounds__
  __kernel __local __global kernel local global`);
// Tokens: comment, string, number, word.
const kToken = new RegExp(
    [
      /(\/\/[^\n]*|\/\*[^]*?\*\/)/,
      /("(?:[^"\\\n]|\\.)*")/,
      /\b(0[xX][\da-fA-F]+\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\w*)/,
      /([A-Za-z_]\w*)/,
    ].map((part) => part.source).join("|"),
    "g");

function highlight(id, known) {
  const code = document.querySelector(`#${id} code`);
  const source = code?.textContent ?? "";
  if (source === "" || source.length > 400000) return;
  const parts = [];
  let plain = 0;
  for (const match of source.matchAll(kToken)) {
    const kind = match[1]    ? "comment" :
        match[2] || match[3] ? "literal" :
        known.has(match[4])  ? "word" :
                               null;
    if (!kind) continue;
    if (match.index > plain) parts.push(source.slice(plain, match.index));
    parts.push(html("span", {class: kind}, match[0]));
    plain = match.index + match[0].length;
  }
  parts.push(source.slice(plain));
  code.replaceChildren(...parts);
}

// Some browsers lack navigator.clipboard for pages opened from a file.
async function copyText(words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const area = html("textarea", {style: "position: fixed; opacity: 0"});
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
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1400);
}, true);

document.documentElement.classList.add("scripted");
document.body.append(hint);
if (candidates.length > 0) {
  filterBar();
  rankingTable();
  roofline();
  agreement();
  timeTiles();
  elementCurves();
  costCurves();
  terms();
} else {
  document.getElementById("ranking").remove();
  document.getElementById("roofline").parentElement.remove();
}
if (tile) {
  halo();
  spaceTime();
} else {
  document.getElementById("tile").remove();
}
highlight("kernel-source", kKernelWords);
highlight("program-source", kProgramWords);
