// Folding: buttons that fold and unfold parts of the page.

import { t } from "./texts.js";

// A button that folds and unfolds a part of the page: its signs and labels while folded and while not.
export function folding(button, mark, signs, labels) {
  const fold = document.getElementById(button);
  const set = (folded) => {
    document.body.classList.toggle(mark, folded);
    fold.textContent = signs[folded ? 0 : 1];
    fold.ariaLabel = fold.title = labels[folded ? 0 : 1];
    fold.ariaExpanded = !folded;
  };
  fold.addEventListener("click", () => set(!document.body.classList.contains(mark)));
  return set;
}

// The plots, folded at first where the window is small.
export function foldPlots() {
  const fold = folding("fold-plots", "plots-folded", ["+", "−"], [t("Show the plots"), t("Hide the plots")]);
  const small = matchMedia("(max-width: 700px), (max-height: 500px)");
  small.addEventListener("change", () => fold(small.matches));
  fold(small.matches);
}
