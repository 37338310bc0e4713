// Frames: decodes the binary frames of runtime/frame_bytes.py. A frame is a header of float64 and blocks of float32.

export class FrameReader {
  constructor(layout) {
    this.layout = layout;
    this.channelPlace = new Map(layout.channels.map((channel, i) => [channel.name, i]));
    this.inputPlace = new Map(layout.inputs.map((name, i) => [name, i]));
  }

  // The arrays are views of the buffer: nothing is copied.
  read(buffer, offset = 0) {
    const { header, blocks, modes, holds } = this.layout;
    const numbers = new Float64Array(buffer, offset, header.length);
    const frame = {};
    header.forEach((name, i) => (frame[name] = numbers[i]));
    frame.doing = modes[frame.mode];
    frame.chain = holds[frame.held];
    for (const [name, block] of Object.entries(blocks)) {
      const count = block.shape.reduce((product, n) => product * n, 1);
      frame[name] = new Float32Array(buffer, offset + block.offset, count);
    }
    return frame;
  }

  channel(frame, name) {
    const place = this.channelPlace.get(name);
    return place === undefined ? NaN : frame.channels[place];
  }

  input(frame, name) {
    const place = this.inputPlace.get(name);
    return place === undefined ? NaN : frame.inputs[place];
  }
}
