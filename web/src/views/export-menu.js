import { html } from 'lit';
import { chooser } from './chooser.js';
import { Pane } from './pane.js';
import { ask, complain, say } from '../page.js';
import { copyLink } from '../actions/links.js';
import { askLong } from '../actions/long.js';
import { blockInHand } from '../actions/looking.js';
import { SVG_CELLS, blockJson, download, exportName, panelSvg } from '../export.js';
import { ORDERS, blockCount, lineAxis } from '../picture/arrangement.js';
import { colourAt, identityLevel } from '../picture/colour-map.js';
import { positionLevel } from '../picture/raster.js';

const CHOICES = {
  'png-1': 'Panel as PNG',
  'png-2': 'Panel as PNG, double size',
  'png-exact': 'Panel as PNG, one pixel per block',
  svg: 'Panel as SVG',
  block: 'Block as JSON',
  csv: 'Permutation as CSV',
  bin: 'Prepacked tensor as .bin',
  link: 'Copy link',
  'link-file': 'Copy link with file name',
};

/** Everything that can be taken along. */
export class ExportMenu extends Pane {
  static needs = ['grid'];

  render() {
    return chooser({
      id: 'export',
      label: 'take along',
      choices: CHOICES,
      does: 'Export',
      act: (choice) => void this.choose(choice),
    });
  }

  /** @param {string} choice */
  async choose(choice) {
    try {
      await this.make(choice);
    } catch (error) {
      complain(error);
    }
  }

  async make(choice) {
    const { source, tensor, panel, grid, wrap } = this.state;
    const order = ORDERS[panel];
    const save = (what, ext, content, type) => {
      const name = exportName(source.name, tensor, what, ext);
      download(name, content instanceof Blob ? content : new Blob([content], { type }));
      say(`Saved ${name}.`);
    };
    if (choice.startsWith('png-')) {
      const scale = choice.slice(4);
      const how = { panel, scale: scale === 'exact' ? scale : Number(scale) };
      const made = await askLong('Drawing the panel', 'png', how);
      if (made) save(order, 'png', made.blob);
    } else if (choice === 'svg') {
      save(
        order,
        'svg',
        panelSvg({
          grid,
          axis: lineAxis(order, wrap),
          title: `${tensor} in ${order}`,
          colour: await this.colour(),
        }),
        'image/svg+xml',
      );
    } else if (choice === 'block') {
      const block = await blockInHand();
      const json = blockJson({ file: source.name, tensor, grid, block });
      save(`block-${block.o}-${block.b}`, 'json', json, 'application/json');
    } else if (choice === 'csv') {
      const made = await askLong('Writing the permutation', 'permutation', { key: grid.key });
      if (made) save('permutation', 'csv', made);
    } else if (choice === 'bin') {
      const made = await askLong('Prepacking', 'prepackedBytes', { key: grid.key });
      if (made) save('INPUT_BLOCK_MAJOR', 'bin', made, 'application/octet-stream');
    } else if (choice.startsWith('link')) {
      await copyLink(choice === 'link-file');
    }
  }

  async colour() {
    const { grid, channel, wrap, panel } = this.state;
    if (channel === 'identity') return (o, b) => colourAt(identityLevel(o, b));
    if (channel === 'position') {
      const level = positionLevel(grid, wrap === 'logical' ? ORDERS[panel] : 'ROW_MAJOR');
      return (o, b) => colourAt(level(o, b));
    }
    if (blockCount(grid) > SVG_CELLS)
      return () => /** @type {[number, number, number]} */ ([0, 0, 0]);
    const levels = await ask('levels', { key: grid.key, channel });
    return (o, b) => colourAt(levels[o * grid.blocksPerRow + b]);
  }
}
