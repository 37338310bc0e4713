// Start: finds scenes by a word, says that one is being compiled, and goes to the console when a run has begun.

import { translated, useTexts } from "./texts.js";
import { followTheme } from "./theme.js";

const ASK_EVERY = 1500; // ms

const find = (id) => document.getElementById(id);

useTexts(JSON.parse(find("texts").textContent));
const problem = document.querySelector(".problem");
if (problem) problem.textContent = translated(problem.textContent);

find("find").addEventListener("input", (event) => {
  const word = event.target.value.trim().toLowerCase();
  for (const scene of find("scene-list").children) scene.hidden = !scene.textContent.toLowerCase().includes(word);
});

for (const form of document.forms) {
  form.addEventListener("submit", () => {
    find("wait").hidden = false;
    document.body.dataset.waiting = "";
  });
}

// Another browser may have chosen.
setInterval(async () => {
  const answer = await fetch("/state").catch(() => null);
  if (answer?.ok && (await answer.json()).running && !("waiting" in document.body.dataset)) location.replace("/");
}, ASK_EVERY);

followTheme(find("theme"));
