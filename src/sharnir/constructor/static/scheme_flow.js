// The sheet itself: Vue Flow, given what changes and nothing else.

import { createApp, h, markRaw, nextTick } from "vue";
import { ConnectionMode, MiniMap, SelectionMode, VueFlow, useVueFlow } from "./vendor/vue-flow.js";
import { t } from "/view/texts.js";
import { BoxNode, NoteNode, WireEdge } from "./scheme_node.js";

const NODES = { box: markRaw(BoxNode), note: markRaw(NoteNode) };
const EDGES = { wire: markRaw(WireEdge) };
const MOST_GONE = 100; // boxes that are hidden before they are forgotten
const MUCH = 1.2; // times as wide or high, or as narrow or low
const REST = 80; // ms
const SETTINGS = {
  id: "scheme", nodeTypes: NODES, edgeTypes: EDGES, connectionMode: ConnectionMode.Strict, connectionRadius: 24, snapToGrid: true, snapGrid: [6, 6],
  deleteKeyCode: null, selectionKeyCode: "Shift", multiSelectionKeyCode: ["Control", "Meta"], selectionMode: SelectionMode.Partial,
  minZoom: 0.05, maxZoom: 2.5, edgesUpdatable: true, disableKeyboardA11y: true, elevateEdgesOnSelect: true, nodeDragThreshold: 2,
  connectionLineType: "smoothstep", panOnScroll: false, zoomOnDoubleClick: false, autoPanOnConnect: true,
};

// A function that is called when things have come to rest.
function soonAfter(act) {
  let timer = null;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, REST);
  };
}

export class Flow {
  // events: { connect, connectStart, connectEnd, edgeUpdate, nodeDragStop, ... }; mayConnect(connection) decides.
  constructor(element, events, mayConnect) {
    this.element = element;
    this.keys = new Map(); // of what is shown, by id
    this.looks = new Map(); // of boxes and notes among them: what is drawn, wherever it lies
    this.gone = new Set(); // boxes that are hidden
    this.signals = new Map(); // of wires, by id
    const handlers = Object.fromEntries(Object.entries(events).map(([name, act]) => [`on${name[0].toUpperCase()}${name.slice(1)}`, act]));
    handlers.onMoveStart = ({ event }) => event && (this.fitted = false); // by hand
    new ResizeObserver(soonAfter(() => this.resized())).observe(element);
    const flow = this;
    this.app = createApp({
      setup() {
        flow.store = useVueFlow("scheme");
        return () =>
          h(VueFlow, { ...SETTINGS, ...handlers, isValidConnection: mayConnect }, {
            default: () => h(MiniMap, { pannable: true, zoomable: true, width: 120, height: 80, ariaLabel: t("Map of the sheet"), maskColor: "var(--map-mask)", nodeColor: "var(--muted)", nodeStrokeWidth: 0 }),
          });
      },
    });
    this.app.mount(element);
  }

  // nodes: { id, type, position, data, ariaLabel }; edges: { id, source, sourceHandle, target, targetHandle, ... }.
  show(nodes, edges) {
    const { store } = this;
    const fresh = new Map();
    const looks = new Map();
    const reshaped = [];
    const added = [];
    for (const node of nodes) {
      const { id, position, data, ariaLabel } = node;
      const look = JSON.stringify(data);
      const key = `${position.x} ${position.y} ${look}`;
      fresh.set(id, key);
      looks.set(id, look);
      const isBack = this.gone.delete(id);
      if (!isBack && !this.keys.has(id)) added.push(node);
      else if (isBack || this.keys.get(id) !== key) store.updateNode(id, { position, data, ariaLabel, hidden: false });
      if (!isBack && this.looks.has(id) && this.looks.get(id) !== look) reshaped.push(id);
    }
    const wires = edges.map((edge) => [edge, `${JSON.stringify(edge)}`]);
    for (const [edge, key] of wires) fresh.set(edge.id, key);
    const changed = wires.filter(([edge, key]) => this.keys.get(edge.id) !== key).map(([edge]) => edge);
    const goneEdges = store.edges.value.filter(({ id }) => !fresh.has(id)).map(({ id }) => id);
    const goneNodes = [...this.keys.keys()].filter((id) => !fresh.has(id) && this.looks.has(id));
    const replaced = changed.filter(({ id }) => this.keys.has(id)).map(({ id }) => id);
    if (goneEdges.length || replaced.length) store.removeEdges([...goneEdges, ...replaced]);
    this.hide(goneNodes);
    if (added.length) store.addNodes(added);
    if (changed.length) store.addEdges(changed);
    this.keys = fresh;
    this.looks = looks;
    this.signals = new Map(edges.map(({ id, data }) => [id, data.signal]));
    if (reshaped.length) nextTick(() => store.updateNodeInternals(reshaped));
  }

  // Where a box is added or taken away, Vue Flow looks at every wire again; one that is hidden, and comes back with the
  // next undo, costs its own wires.
  hide(ids) {
    const { store } = this;
    for (const id of ids) {
      store.updateNode(id, { hidden: true, selected: false });
      this.gone.add(id);
    }
    if (this.gone.size <= MOST_GONE) return;
    store.removeNodes([...this.gone], false);
    this.gone.clear();
  }

  clear() {
    this.keys.clear();
    this.looks.clear();
    this.gone.clear();
    this.store.setEdges([]);
    this.store.setNodes([]);
  }

  fit(ids, options = {}) {
    this.fitted = !ids; // all of the sheet is in sight, and stays so
    const { clientWidth: width, clientHeight: height } = this.element;
    this.seen = [width, height];
    return this.store.fitView({ padding: 0.12, maxZoom: 1.25, ...options, ...(ids ? { nodes: ids } : {}) });
  }

  // The window, or the sheet's part of it, has another size: what was all in sight still is, and large enough.
  resized() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.fitted || !width || !this.store.nodes.value.length) return;
    const grown = Math.max(width / this.seen[0], height / this.seen[1], this.seen[0] / width, this.seen[1] / height);
    if (grown > MUCH) this.fit();
  }

  // Where a box is out of sight, all of the sheet is shown.
  bring(id) {
    const [box, sheet] = [this.find(id), this.element].map((one) => one?.getBoundingClientRect());
    if (box && (box.left < sheet.left || box.right > sheet.right || box.top < sheet.top || box.bottom > sheet.bottom)) this.fit();
  }

  find(id) {
    return this.element.querySelector(`.vue-flow__node[data-id="${CSS.escape(id)}"]`);
  }

  select(ids) {
    const wanted = new Set(ids);
    this.store.removeSelectedElements();
    this.store.addSelectedNodes(this.store.nodes.value.filter(({ id }) => wanted.has(id)));
  }

  selectAll() {
    this.store.addSelectedNodes(this.store.getNodes.value);
  }

  get selected() {
    return this.store.getSelectedNodes.value.map(({ id }) => id);
  }

  get selectedWire() {
    return this.store.getSelectedEdges.value[0] ?? null;
  }

  place(id) {
    return this.store.findNode(id)?.position;
  }

  // A point of the window on the sheet.
  onSheet(x, y) {
    return this.store.screenToFlowCoordinate({ x, y });
  }

  get middle() {
    const box = this.element.getBoundingClientRect();
    return this.onSheet(box.left + box.width / 2, box.top + box.height / 2);
  }

  focus(id) {
    this.find(id)?.focus({ preventScroll: true });
  }

  close() {
    this.app.unmount();
  }
}
