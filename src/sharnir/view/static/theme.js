// Theme: light or dark as the system has it, or as was chosen, on pages that are not NiceGUI's.

export function followTheme(button, painted = () => {}) {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("theme") ?? stored();
  const apply = (dark) => {
    document.body.classList.toggle("body--dark", dark);
    painted(dark);
  };
  apply(wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  button.addEventListener("click", () => {
    const dark = !document.body.classList.contains("body--dark");
    try {
      localStorage.setItem("sharnir-theme", dark ? "dark" : "light");
    } catch {} // a page from disk may have no storage
    apply(dark);
  });
}

function stored() {
  try {
    return localStorage.getItem("sharnir-theme");
  } catch {
    return null;
  }
}
