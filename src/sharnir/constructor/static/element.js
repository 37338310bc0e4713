// Elements made in one line: make("button", { class: "tool", onclick: f }, "Save").

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(text, title, onclick, properties = {}) {
  return make("button", { type: "button", class: "tool", title, "aria-label": title, onclick, ...properties }, text);
}

// Calls of what is returned become one call of act, soon.
export function soon(act) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    queueMicrotask(() => {
      waits = false;
      act();
    });
  };
}
