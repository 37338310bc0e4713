// A headset that is none: as much of WebXR as three.js asks for. Two eyes that look along -z of the room, side by side on the
// page's own canvas; `headset.turn` (rad, about the room's y), `headset.high` (m), `headset.sticks` and `headset.frame()` move it.
(() => {
  const EYES = 0.064;
  const headset = { turn: 0, high: 1.7, sticks: { left: [0, 0], right: [0, 0] }, session: null, asked: [] };
  window.headset = headset;
  const rigid = (x, y, z, turn) => {
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    const matrix = Float32Array.of(c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, x, y, z, 1);
    const inverse = Float32Array.of(c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, -(c * x - s * z), -y, -(s * x + c * z), 1);
    return { matrix, inverse: { matrix: inverse }, position: { x, y, z, w: 1 }, orientation: { x: 0, y: Math.sin(turn / 2), z: 0, w: Math.cos(turn / 2) } };
  };
  const projection = () => {
    const [near, far] = [0.05, 2000];
    return Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0);
  };
  class Session extends EventTarget {
    constructor() {
      super();
      this.inputSources = ["left", "right"].map((handedness) => ({
        handedness, targetRaySpace: {}, gripSpace: null, hand: null, profiles: [],
        gamepad: { get axes() { return [0, 0, ...headset.sticks[handedness]]; }, buttons: [] },
      }));
      this.enabledFeatures = [];
      this.renderState = {};
      this.waiting = null;
      this.visibilityState = "visible";
      this.environmentBlendMode = "opaque";
    }
    async requestReferenceSpace(type) {
      headset.space = type;
      return Object.assign(new EventTarget(), { type });
    }
    updateRenderState(state) {
      Object.assign(this.renderState, state);
    }
    requestAnimationFrame(done) {
      this.waiting = done;
      return 1;
    }
    cancelAnimationFrame() {
      this.waiting = null;
    }
    async end() {
      headset.session = null;
      this.dispatchEvent(new Event("end"));
    }
  }
  headset.frame = () => {
    const { session } = headset;
    const done = session.waiting;
    session.waiting = null;
    const high = headset.space === "local" ? 0 : headset.high;
    const [c, s] = [Math.cos(headset.turn), Math.sin(headset.turn)];
    const views = ["left", "right"].map((eye, k) => {
      const x = (k - 0.5) * EYES;
      return { eye, projectionMatrix: projection(), transform: rigid(c * x, high, -s * x, headset.turn) };
    });
    done(performance.now(), { session, getViewerPose: () => ({ transform: rigid(0, high, 0, headset.turn), views }), getPose: () => null });
  };
  window.XRWebGLBinding = undefined;
  window.XRWebGLLayer = class {
    constructor(session, gl) {
      Object.assign(this, { gl, framebuffer: null, framebufferWidth: gl.drawingBufferWidth, framebufferHeight: gl.drawingBufferHeight, ignoreDepthValues: false });
    }
    getViewport({ eye }) {
      const half = Math.floor(this.framebufferWidth / 2);
      return { x: eye === "left" ? 0 : half, y: 0, width: half, height: this.framebufferHeight };
    }
  };
  WebGL2RenderingContext.prototype.makeXRCompatible = async () => {};
  Object.defineProperty(navigator, "xr", {
    value: Object.assign(new EventTarget(), {
      isSessionSupported: async (mode) => mode === "immersive-vr",
      requestSession: async (mode) => {
        headset.asked.push(mode);
        return (headset.session = new Session());
      },
    }),
  });
})();
