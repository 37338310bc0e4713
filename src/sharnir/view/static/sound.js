// Sound: motors, contact and wind, made from the signals of a run. Off until it is switched on, as browsers ask for.

const MOST_MOTORS = 8;
const LOUD = 0.12; // of all motors together at full effort
const HIT = 0.3; // of the scene's weight, by which contact forces rise to be heard
const SMOOTH = 0.08; // s

export class Sound {
  constructor(world, reader) {
    this.world = world;
    this.reader = reader;
    this.context = null;
    this.motors = world.joints.flatMap((joint) => joint.coordinates.filter(({ driven }) => driven)).slice(0, MOST_MOTORS);
    this.force = Infinity;
  }

  get on() {
    return this.context !== null;
  }

  toggle(on) {
    if (on === this.on) return;
    if (!on) {
      this.context.close();
      this.context = null;
      return;
    }
    this.context = new AudioContext();
    this.force = Infinity; // what stands already has not hit anything
    this.voices = this.motors.map(() => this.voice());
    this.wind = this.rustle(500, "lowpass");
    this.contact = this.rustle(180, "lowpass");
  }

  voice() {
    const tone = new OscillatorNode(this.context, { type: "sawtooth", frequency: 40 });
    const volume = new GainNode(this.context, { gain: 0 });
    tone.connect(new BiquadFilterNode(this.context, { type: "lowpass", frequency: 900 })).connect(volume).connect(this.context.destination);
    tone.start();
    return { tone, volume };
  }

  // Noise through a filter.
  rustle(frequency, type) {
    const length = this.context.sampleRate;
    const buffer = new AudioBuffer({ length, sampleRate: this.context.sampleRate });
    buffer.copyToChannel(Float32Array.from({ length }, () => 2 * Math.random() - 1), 0);
    const noise = new AudioBufferSourceNode(this.context, { buffer, loop: true });
    const volume = new GainNode(this.context, { gain: 0 });
    noise.connect(new BiquadFilterNode(this.context, { type, frequency })).connect(volume).connect(this.context.destination);
    noise.start();
    return volume;
  }

  // What is heard of a frame: pitch (Hz) and loudness of each motor, of contact and of wind.
  heard(frame, body) {
    const motors = this.motors.map(({ label, strongest }) => {
      const rate = Math.abs(this.reader.channel(frame, `${label} rate`)) || 0;
      const effort = Math.abs(this.reader.channel(frame, `${label} effort`) / (strongest || 1)) || 0;
      return { pitch: 40 + 45 * rate, loud: rate > 0.01 ? (LOUD / this.motors.length) * (0.3 + Math.min(effort, 1)) : 0 };
    });
    let force = 0;
    for (let i = 0; i < frame.contacts_used; i += 1) force += Math.hypot(...frame.contacts.subarray(6 * i + 3, 6 * i + 6));
    const rise = Math.max(force - this.force, 0) / this.world.weight;
    const speed = Math.hypot(...frame.velocities.subarray(6 * body, 6 * body + 3)) || 0;
    return { motors, hit: rise > HIT ? Math.min(0.3 * rise, 0.5) : 0, wind: Math.min(0.0015 * speed * speed, 0.15), force };
  }

  play(frame, body) {
    if (!this.on || frame.doing === "paused") return;
    const { motors, hit, wind, force } = this.heard(frame, body);
    const now = this.context.currentTime;
    motors.forEach(({ pitch, loud }, i) => {
      this.voices[i].tone.frequency.setTargetAtTime(pitch, now, SMOOTH);
      this.voices[i].volume.gain.setTargetAtTime(loud, now, SMOOTH);
    });
    this.wind.gain.setTargetAtTime(wind, now, SMOOTH);
    if (hit > 0) {
      this.contact.gain.setValueAtTime(hit, now);
      this.contact.gain.setTargetAtTime(0, now, 1.5 * SMOOTH);
    }
    this.force = force;
  }
}
