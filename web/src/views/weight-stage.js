import { html } from 'lit';
import { Pane } from './pane.js';
import { ask, drawView, store } from '../page.js';
import { frames, lookAt, setPin } from '../actions/looking.js';
import { ORDERS, blockAt, extent, lineAxis } from '../picture/arrangement.js';
import { frameOf, pan, pick, placed, pointIn, zoomAt, zoomOf, FIT } from '../picture/camera.js';
import { stageLayout } from '../picture/stage-layout.js';
import { colours } from '../theme.js';
import { formatNumber } from '../words.js';
import { whereText } from './status-line.js';

const NARROW = 640;
const CLICK = 5;

/** The canvas that the worker draws on, and the pointer over it. */
export class WeightStage extends Pane {
  constructor() {
    super();
    /** @type {Map<number, { x: number, y: number }>} */
    this.pointers = new Map();
    this.moved = 0;
    /** What two fingers hold. @type {{ panel: number, perSpread: number, point: { column: number, line: number } } | null} */
    this.gripped = null;
  }

  render() {
    const { grid, tab, wrap, stage, tensor } = this.state;
    const single = tab === 'wrong';
    return html`<div class="stage ${single ? 'single' : ''} ${stage.stacked ? 'stacked' : ''}">
      ${
        single
          ? html`<p class="title left">read as ROW_MAJOR <b>correct</b></p>
              <p class="title right">read as INPUT_BLOCK_MAJOR <b>wrong</b></p>`
          : ORDERS.map((order, i) => {
              const axis = lineAxis(order, wrap);
              const size = grid ? extent(grid, axis) : { lines: 0, columns: 0 };
              return html`<p class="title ${i ? 'right' : 'left'}">
                <b>${order}</b>
                <span class="soft"
                  >${i ? 'kernel' : 'file'} · ${formatNumber(size.columns)} per line, lines are
                  ${axis}</span
                >
              </p>`;
            })
      }
      <canvas
        role="img"
        aria-label="Block grid of ${tensor ?? 'no tensor'}: ${whereText(this.state)}"
        tabindex="-1"
        @pointermove=${this.move}
        @pointerdown=${this.down}
        @pointerup=${this.up}
        @pointercancel=${this.up}
        @pointerleave=${(event) => this.pointers.delete(event.pointerId)}
        @dblclick=${this.fit}
      ></canvas>
    </div>`;
  }

  firstUpdated() {
    const canvas = /** @type {HTMLCanvasElement} */ (this.querySelector('canvas'));
    const offscreen = canvas.transferControlToOffscreen();
    ask('canvas', { canvas: offscreen }, [offscreen]);
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.measure(canvas)).observe(canvas);
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.requestUpdate());
    }
  }

  /** @param {HTMLCanvasElement} canvas */
  measure(canvas) {
    const { width, height } = canvas.getBoundingClientRect();
    if (!width || !height) return;
    const dpr = Math.min(2, devicePixelRatio || 1);
    const stacked = width < NARROW;
    store.set({
      stage: { width: Math.round(width * dpr), height: Math.round(height * dpr), dpr, stacked },
    });
  }

  updated() {
    const { grid, tab, stage, cameras, o, b, pin, channel, wrap, flight, divider, comparison } =
      this.state;
    if (!grid || !stage.width) return;
    const view = {
      key: grid.key,
      mode: tab === 'wrong' ? 'wrong' : 'orders',
      stage,
      cameras,
      focus: { o, b },
      pin,
      channel,
      wrap,
      flight,
      divider,
      misplaced:
        tab === 'compare' && comparison?.gridKey === grid.key
          ? { id: comparison.id, order: comparison.order }
          : null,
      colours: colours(),
    };
    const text = JSON.stringify(view);
    if (text === this.sent) return;
    this.sent = text;
    drawView(view);
  }

  /** @param {PointerEvent | MouseEvent} event @returns {{ panel: 0 | 1, axis: 'o' | 'b', frame: any, x: number, y: number } | null} */
  under(event) {
    const { stage, grid, tab, cameras } = this.state;
    if (!grid) return null;
    const box = /** @type {HTMLElement} */ (
      event.currentTarget ?? event.target
    ).getBoundingClientRect();
    const x = (event.clientX - box.left) * (stage.width / box.width);
    const y = (event.clientY - box.top) * (stage.height / box.height);
    if (tab === 'wrong') {
      const rect = { x: 0, y: 0, width: stage.width, height: stage.height };
      return { panel: 0, axis: 'o', frame: frameOf(rect, extent(grid, 'o'), cameras[0]), x, y };
    }
    const rects = stageLayout(stage);
    const panel = rects.findIndex(
      (r) => x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height,
    );
    const both = frames();
    if (panel < 0 || !both) return null;
    return { panel: /** @type {0 | 1} */ (panel), ...both[panel], x, y };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const held = this.pointers.get(event.pointerId);
    if (held) {
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      this.moved += Math.abs(dx) + Math.abs(dy);
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (this.state.tab === 'wrong') return this.divide(event);
      if (this.pointers.size === 2) return this.pinch(event);
      if (this.moved > CLICK) return this.drag(event, dx, dy);
    }
    this.hover(event);
  }

  hover(event) {
    const at = this.under(event);
    const cell = at && pick(at.frame, at.x, at.y);
    if (!cell) return;
    if (at.panel !== this.state.panel) store.set({ panel: at.panel });
    const block = blockAt(at.axis, cell.line, cell.column);
    if (block.o !== this.state.o || block.b !== this.state.b) lookAt(block);
  }

  divide(event) {
    const box = event.currentTarget.getBoundingClientRect();
    store.set({ divider: Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) });
  }

  drag(event, dx, dy) {
    const at = this.under(event);
    if (!at) return;
    const { cameras, stage } = this.state;
    this.setCamera(at.panel, pan(cameras[at.panel], at.frame, dx * stage.dpr, dy * stage.dpr));
  }

  /** Where two fingers are: what is under their middle, and how far they are from each other. */
  between({ currentTarget }) {
    const [a, b] = this.pointers.values();
    const [clientX, clientY] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const at = this.under({ currentTarget, clientX, clientY });
    return at && { ...at, spread: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
  }

  grip(event) {
    const at = this.between(event);
    if (!at) return null;
    const { panel, frame, x, y, spread } = at;
    const perSpread = zoomOf(this.state.cameras[panel], frame) / spread;
    return { panel, perSpread, point: pointIn(frame, x, y) };
  }

  /** What was between the fingers when the second came down stays between them. */
  pinch(event) {
    const at = this.between(event);
    if (!at || at.panel !== this.gripped?.panel) return;
    const { panel, perSpread, point } = this.gripped;
    this.setZoomed(panel, placed(at.frame, point, at.x, at.y, perSpread * at.spread));
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
    /** @type {Element} */ (event.currentTarget).setPointerCapture?.(event.pointerId);
    if (event.pointerType !== 'mouse') this.hover(event);
    this.gripped = this.pointers.size === 2 ? this.grip(event) : null;
  }

  /** @param {PointerEvent} event */
  up(event) {
    const held = this.pointers.delete(event.pointerId);
    if (!held || this.moved > CLICK || event.type !== 'pointerup' || this.state.tab === 'wrong')
      return;
    const at = this.under(event);
    const cell = at && pick(at.frame, at.x, at.y);
    if (!cell) return;
    const block = blockAt(at.axis, cell.line, cell.column);
    const { pin } = this.state;
    setPin(pin && pin.o === block.o && pin.b === block.b ? null : block);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const at = this.under(event);
    if (!at) return;
    if (event.ctrlKey) {
      event.preventDefault();
      this.zoom(at, Math.exp(-event.deltaY / 200));
      return;
    }
    const { cameras, stage } = this.state;
    const next = pan(
      cameras[at.panel],
      at.frame,
      -event.deltaX * stage.dpr,
      -event.deltaY * stage.dpr,
    );
    const after = frameOf(at.frame.rect, at.frame.extent, next);
    // At its end the panel gives the wheel back to the page.
    if (Math.abs(after.x0 - at.frame.x0) + Math.abs(after.y0 - at.frame.y0) < 0.5) return;
    event.preventDefault();
    this.setCamera(at.panel, next);
  }

  /** Both panels keep the same zoom; the other one follows to the block in hand. */
  zoom({ panel, frame, x, y }, factor) {
    this.setZoomed(panel, zoomAt(this.state.cameras[panel], frame, x, y, factor));
  }

  setZoomed(panel, camera) {
    const cameras = [...this.state.cameras];
    cameras[panel] = camera;
    cameras[1 - panel] = { ...cameras[1 - panel], z: camera.z };
    store.set({ cameras });
    lookAt({ o: this.state.o, b: this.state.b });
  }

  setCamera(panel, camera) {
    const cameras = [...this.state.cameras];
    cameras[panel] = camera;
    store.set({ cameras });
  }

  fit() {
    store.set({ cameras: [{ ...FIT }, { ...FIT }] });
  }
}
