// Texts: the words of the page in the browser's language, by the English ones. The page brings its catalogue with it.
// What the server and the physics say has names and numbers in it: the catalogue has it with {places} for those.

let catalogue = {};
let patterns = [];

const PLACE = /\{(\w+)\}/g;
const escaped = (text) => text.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&");

export function useTexts(texts) {
  catalogue = texts ?? {};
  patterns = Object.keys(catalogue).filter((text) => text.search(PLACE) >= 0).map((text) => {
    const parts = text.split(PLACE); // words, a name, words, ...
    const pattern = parts.map((part, i) => (i % 2 ? "(.*?)" : escaped(part))).join("");
    return { pattern: new RegExp(`^${pattern}$`, "s"), names: parts.filter((_, i) => i % 2), text };
  });
  patterns.sort((a, b) => b.text.length - a.text.length); // the one that says most goes first
}

// The catalogue of a page that brings all: that of the browser's language, or none for English.
export function chooseTexts(catalogues) {
  const wanted = navigator.languages.map((language) => language.split("-")[0]);
  const language = wanted.find((each) => each === "en" || each in catalogues) ?? "en";
  document.documentElement.lang = language;
  useTexts(catalogues[language]);
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.textContent);
  for (const element of document.querySelectorAll("[data-t-label]")) element.ariaLabel = t(element.dataset.tLabel);
}

// {name} in a text is replaced by the value of that name.
export function t(text, values = {}) {
  return (catalogue[text] ?? text).replace(PLACE, (_, name) => values[name] ?? "");
}

// A word of a panel, where the catalogue has it: those of the robots that ship, and of panels that are made by themselves.
export function panelText(text) {
  return catalogue[`panel: ${text}`] ?? catalogue[text] ?? text;
}

// A unit, symbol by symbol: N m, rad/s.
export function unitText(unit) {
  return unit.replace(/[A-Za-z]+/g, (symbol) => t(symbol));
}

export function seconds(time, digits = 2) {
  return `${time.toFixed(digits)} ${t("s")}`;
}

// What the server said, in the browser's language; a part of it may be a sentence of its own.
export function translated(text) {
  if (!text || catalogue[text] !== undefined) return text ? t(text) : "";
  for (const { pattern, names, text: known } of patterns) {
    const found = pattern.exec(text);
    if (found) return t(known, Object.fromEntries(names.map((name, i) => [name, saidIn(name, found[i + 1])])));
  }
  return text;
}

function saidIn(place, text) {
  return place === "unit" ? unitText(text) : translated(text);
}
