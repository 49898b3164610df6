"use strict";
const tip = document.getElementById("tip"), heard = document.getElementById("heard");

function words(plot, track, at) {
  const said = track.texts[at] || `${plot.x} ${track.x[at]}, ${plot.y} ${track.y[at]}`;
  return track.label ? `${track.label}, ${said}` : said;
}

function show(box, plot, [of, at]) {
  const track = plot.tracks[of], [x, y] = track.at[at];
  const svg = box.querySelector("svg"), place = svg.getBoundingClientRect();
  const scale = place.width / svg.viewBox.baseVal.width;
  hide(box);
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [name, value] of [["class", "ring"], ["cx", x], ["cy", y], ["r", 4.5]])
    ring.setAttribute(name, value);
  svg.append(ring);
  tip.textContent = heard.textContent = words(plot, track, at);
  tip.hidden = false;
  const left = place.left + x * scale, half = tip.offsetWidth / 2;
  const width = document.documentElement.clientWidth;
  tip.style.left = scrollX + Math.max(4, Math.min(left - half, width - 2 * half - 4)) + "px";
  tip.style.top = scrollY + place.top + y * scale - tip.offsetHeight - 10 + "px";
}

function hide(box) {
  tip.hidden = true;
  box.querySelectorAll(".ring").forEach((ring) => ring.remove());
}

function nearest(plot, x, y, within) {
  let best = null, least = within * within;
  plot.tracks.forEach((track, of) => track.at.forEach((place, at) => {
    if (!place) return;
    const far = (place[0] - x) ** 2 + (place[1] - y) ** 2;
    if (far < least) [least, best] = [far, [of, at]];
  }));
  return best;
}

function step(plot, now, key) {
  const there = (of) => plot.tracks[of].at.map((place, at) => place ? at : -1)
    .filter((at) => at >= 0).sort((a, b) => plot.tracks[of].x[a] - plot.tracks[of].x[b]);
  const tracks = plot.tracks.map((_, of) => of).filter((of) => there(of).length);
  if (!tracks.length) return null;
  if (!now) return [tracks[0], there(tracks[0])[0]];
  if (key === "ArrowUp" || key === "ArrowDown") {
    const next = tracks.indexOf(now[0]) + (key === "ArrowDown" ? 1 : tracks.length - 1);
    const of = tracks[next % tracks.length], x = plot.tracks[now[0]].x[now[1]];
    const off = (at) => Math.abs(plot.tracks[of].x[at] - x);
    return [of, there(of).reduce((a, b) => off(b) < off(a) ? b : a)];
  }
  const own = there(now[0]), place = own.indexOf(now[1]) + (key === "ArrowRight" ? 1 : -1);
  return [now[0], own[Math.max(0, Math.min(place, own.length - 1))]];
}

for (const [name, plot] of Object.entries(plots)) {
  const box = document.getElementById("plot-" + name), svg = box.querySelector("svg");
  if (!svg) continue;
  let now = null;
  box.addEventListener("pointermove", (event) => {
    const place = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / place.width;
    const x = (event.clientX - place.left) * scale, y = (event.clientY - place.top) * scale;
    now = nearest(plot, x, y, 14);
    if (now) show(box, plot, now); else hide(box);
  });
  box.addEventListener("pointerleave", () => hide(box));
  box.addEventListener("blur", () => hide(box));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide(box);
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    now = step(plot, now, event.key);
    if (now) show(box, plot, now);
  });
}

function alone(svg) {
  const copy = svg.cloneNode(true);
  copy.querySelectorAll(".ring").forEach((ring) => ring.remove());
  const size = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", size.width + "pt");
  copy.setAttribute("height", size.height + "pt");
  copy.setAttribute("fill", "#000");
  return new XMLSerializer().serializeToString(copy)
    .replace(/var\(--[\w-]+, ([^)]*)\)/g, "$1");
}

for (const button of document.querySelectorAll("[data-svg]")) {
  button.addEventListener("click", () => {
    const svg = document.querySelector("#plot-" + CSS.escape(button.dataset.svg) + " svg");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([alone(svg)], {type: "image/svg+xml"}));
    link.download = button.dataset.svg + ".svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = heard.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = heard.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// What scrolls by itself can be scrolled by the keyboard, and nothing else stops it.
const scrolling = [...document.querySelectorAll(".scroll, pre")];
function reach() {
  for (const one of scrolling) {
    const is_longer = one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight;
    if (is_longer) one.tabIndex = 0; else one.removeAttribute("tabindex");
  }
}
new ResizeObserver(reach).observe(document.body);

const links = new Map([...document.querySelectorAll("nav li a")].map((a) => [a.hash.slice(1), a]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    links.forEach((a) => a.removeAttribute("aria-current"));
    links.get(entry.target.id).setAttribute("aria-current", "true");
  }
}, {rootMargin: "0px 0px -70% 0px"});
links.forEach((_, id) => seen.observe(document.getElementById(id)));

// On paper nothing can be opened: what is folded is printed, but for what hosts say in full.
const opened = new Set();
function unfold(is_printed) {
  for (const one of document.querySelectorAll("details:not([open]):not(:has(> pre))"))
    if (is_printed) { one.open = true; opened.add(one); }
  if (is_printed) return;
  opened.forEach((one) => { one.open = false; });
  opened.clear();
}
matchMedia("print").addEventListener("change", (event) => unfold(event.matches));
addEventListener("beforeprint", () => unfold(true));
addEventListener("afterprint", () => unfold(false));
