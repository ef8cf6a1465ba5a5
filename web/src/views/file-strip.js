import { html, svg } from 'lit';
import { Pane } from './pane.js';
import { formatBytes } from '../words.js';
import { metadataList } from './metadata-list.js';

const WIDTH = 1000;

/** The file from its first byte to its last, and what it holds. */
export class FileStrip extends Pane {
  static needs = ['source'];

  render() {
    const { source, tensor } = this.state;
    const single = new Set(source.tensors.map((t) => t.shard)).size <= 1;
    /** @type {Map<string, number>} */
    const sizes = new Map();
    for (const t of source.tensors) {
      const name = t.encoding ?? `type ${t.ggmlType}`;
      sizes.set(name, (sizes.get(name) ?? 0) + (t.byteLength ?? 0));
    }
    const kinds = [...sizes].sort((a, b) => b[1] - a[1]);
    const shade = new Map(kinds.map(([name], i) => [name, i % 6]));
    const said = kinds.map(([name, bytes]) => `${name} ${formatBytes(bytes)}`).join(', ');
    return html`<section class="strip" aria-label="File">
      ${
        single && source.size
          ? html`<svg
              viewBox="0 0 ${WIDTH} 16"
              preserveAspectRatio="none"
              role="img"
              aria-label="File map: header ${formatBytes(source.headerBytes)}, ${said}"
            >
              <rect
                class="header"
                x="0"
                y="0"
                height="16"
                width=${Math.max(2, (source.headerBytes / source.size) * WIDTH)}
              />
              ${this.merged(source, shade, tensor).map(
                ({ from, to, kind, here }) =>
                  svg`<rect class="kind-${kind} ${here ? 'here' : ''}" x=${(from / source.size) * WIDTH} y="0" height="16" width=${Math.max(0.6, ((to - from) / source.size) * WIDTH)} />`,
              )}
            </svg>`
          : ''
      }
      <div class="about">
        <p class="legend">
          <span><i class="header"></i>header ${formatBytes(source.headerBytes)}</span>
          ${kinds.map(([name, bytes], i) => html`<span><i class="kind-${i % 6}"></i>${name} ${formatBytes(bytes)}</span>`)}
        </p>
        <p class="soft format">
          GGUF version ${source.version}, alignment
          ${source.alignment}${source.littleEndian ? '' : ', big-endian'}
        </p>
        ${source.metadata.length ? metadataList(source) : ''}
      </div>
    </section>`;
  }

  /** Neighbours of one kind become one bar: a file may have thousands of tensors. */
  merged(source, shade, tensor) {
    const bars = [];
    for (const t of [...source.tensors].sort((a, b) => a.offset - b.offset)) {
      if (!t.byteLength) continue;
      const kind = shade.get(t.encoding ?? `type ${t.ggmlType}`);
      const here = t.name === tensor;
      const last = bars.at(-1);
      const to = Math.min(source.size, t.offset + t.byteLength);
      if (last && last.kind === kind && !last.here && !here && t.offset - last.to < 4096)
        last.to = to;
      else bars.push({ from: t.offset, to, kind, here });
    }
    return bars;
  }
}
