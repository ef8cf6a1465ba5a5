import { html, svg } from 'lit';
import { Pane } from './pane.js';
import { formatBytes } from '../words.js';
import { metadataList } from './metadata-list.js';

const WIDTH = 1000;

/** As many as there are colours: the smallest share the last one. */
const COLOURS = 6;

const nameOf = (/** @type {import('../page.js').Tensor} */ t) => t.encoding ?? `type ${t.ggmlType}`;

/**
 * @typedef {{ names: string[], bytes: number | null }} Kind null where a size is not known
 * @param {import('../page.js').Tensor[]} tensors
 * @returns {Kind[]}
 */
function kindsOf(tensors) {
  /** @type {Map<string, number | null>} */
  const sizes = new Map();
  for (const t of tensors) {
    const before = sizes.get(nameOf(t)) ?? (sizes.has(nameOf(t)) ? null : 0);
    sizes.set(nameOf(t), before === null || t.byteLength === null ? null : before + t.byteLength);
  }
  const kinds = [...sizes]
    .sort((a, b) => b[1] - a[1])
    .map(([name, bytes]) => ({ names: [name], bytes }));
  const small = kinds.splice(kinds.length > COLOURS ? COLOURS - 1 : kinds.length);
  if (!small.length) return kinds;
  const known = small.every(({ bytes }) => bytes !== null);
  const bytes = known ? small.reduce((sum, kind) => sum + kind.bytes, 0) : null;
  return [...kinds, { names: small.flatMap(({ names }) => names), bytes }];
}

/** @param {Kind} kind */
function textOf({ names, bytes }) {
  return `${names.join(', ')} ${bytes === null ? 'of unknown size' : formatBytes(bytes)}`;
}

/** The file from its first byte to its last, and what it holds. */
export class FileStrip extends Pane {
  static needs = ['source'];

  render() {
    const { source, tensor } = this.state;
    const single = new Set(source.tensors.map((t) => t.shard)).size <= 1;
    const kinds = kindsOf(source.tensors);
    const shade = new Map(kinds.flatMap(({ names }, i) => names.map((name) => [name, i])));
    const said = kinds.map(textOf).join(', ');
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
          ${kinds.map((kind, i) => html`<span><i class="kind-${i}"></i>${textOf(kind)}</span>`)}
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
      const kind = shade.get(nameOf(t));
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
