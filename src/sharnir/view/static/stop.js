// Stop: the button of the emergency stop. It lies in the browser's top layer, where no dialog, menu or curtain of the page
// comes: nothing has to know of it, and nothing can cover it. It only stops; its release is another button (banner.js).

const find = (id) => document.getElementById(id);

// Returns what joins it to the link. What is pressed before there is one is sent as soon as there is.
export function addStop() {
  const stop = find("stop");
  let pressed = false;
  let send = () => (pressed = true);
  stop.addEventListener("pointerdown", () => send());
  stop.addEventListener("click", (event) => event.detail === 0 && send()); // Enter, Space, assistive technology
  stop.popover = "manual";
  stop.showPopover();
  const strip = document.querySelector(".strip");
  new ResizeObserver(() => stop.style.setProperty("--strip", `${strip.offsetHeight}px`)).observe(strip);
  return (link) => {
    send = () => link.stop();
    if (pressed) send();
  };
}
