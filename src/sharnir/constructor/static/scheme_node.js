// How boxes, notes and wires are drawn on the sheet.

import { h, withMemo } from "vue";
import { Handle, Position, getSmoothStepPath } from "./vendor/vue-flow.js";
import { ROW, shownNumber } from "./scheme_model.js";

const rowTop = (box, i) => `${box.head + ROW * (i + 0.5)}px`;

function inputRow(box, input, i) {
  const { port, label, wire, more } = input;
  const isFree = typeof wire !== "string";
  return [
    h(Handle, { type: "target", position: Position.Left, id: `in:${port}`, key: `in:${port}`, class: ["port", { more, free: isFree }], style: { top: rowTop(box, i) } }),
    h("span", { class: ["port-name", "in", { more }], style: { top: rowTop(box, i) }, key: `n:${port}` }, [
      label,
      isFree && !more && label ? h("i", { class: "literal" }, shownNumber(wire)) : null,
    ]),
  ];
}

function outputRow(box, output, i) {
  const { port, label, signal } = output;
  const top = box.kind === "input" ? `${ROW / 2}px` : rowTop(box, i);
  return [
    h(Handle, { type: "source", position: Position.Right, id: `out:${port}`, key: `out:${port}`, class: "port", style: { top } }),
    h("span", { class: "port-name out", style: { top }, key: `m:${port}` }, label),
    h("span", { class: "port-value", "data-signal": signal, style: { top }, key: `v:${port}` }),
  ];
}

export const BoxNode = {
  props: ["data"],
  inheritAttrs: false,
  setup: (props) => () => {
    const { box, error } = props.data;
    const isFlat = box.head === 0;
    const head = isFlat
      ? h("span", { class: "flat-name" }, [box.name, box.unit ? h("i", { class: "unit" }, box.unit) : null])
      : h("div", { class: "box-head" }, [
          h("b", { class: "box-type" }, box.title),
          h("span", { class: "box-name" }, box.note || box.name),
          box.folds ? h("span", { class: "box-fold", "data-fold": box.id }, box.isOpen ? "▴" : "▾") : null,
        ]);
    return h("div", { class: ["box", `box-${box.kind}`, { flat: isFlat, wrong: error }], style: { width: `${box.width}px`, height: `${box.height}px` }, title: error || undefined }, [
      head,
      ...box.inputs.flatMap((input, i) => inputRow(box, input, i)),
      ...box.outputs.flatMap((output, i) => outputRow(box, output, i)),
      isFlat || !box.note ? null : h("span", { class: "box-below" }, box.name),
    ]);
  },
};

export const NoteNode = {
  props: ["data"],
  inheritAttrs: false,
  setup: (props) => () => h("div", { class: "sheet-note", style: { width: `${props.data.box.size[0]}px`, height: `${props.data.box.size[1]}px` } }, props.data.box.text),
};

const BEND = 5; // px, the radius of a wire's corners
const GRASP = 14; // px, within which a wire is meant

// Vue Flow draws every wire anew where a box comes or goes; a wire whose ends lie as before is left as it is.
export const WireEdge = {
  props: ["id", "sourceX", "sourceY", "targetX", "targetY", "sourcePosition", "targetPosition"],
  inheritAttrs: false,
  setup(props) {
    const kept = [];
    const drawn = () => {
      const [d] = getSmoothStepPath({ ...props, borderRadius: BEND });
      return h("g", {}, [
        h("path", { id: props.id, class: "vue-flow__edge-path", d, fill: "none" }),
        h("path", { class: "vue-flow__edge-interaction", d, fill: "none", "stroke-width": GRASP, "stroke-opacity": 0 }),
      ]);
    };
    return () => withMemo([props.sourceX, props.sourceY, props.targetX, props.targetY], drawn, kept, 0);
  },
};
