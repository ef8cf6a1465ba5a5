/** Every element of the page. Named here, not where it is written, so that a bundler sees it is used. */
import { BenchPane } from './bench-pane.js';
import { BlockInspector } from './block-inspector.js';
import { ByteView } from './byte-view.js';
import { ComparePane } from './compare-pane.js';
import { ExportMenu } from './export-menu.js';
import { FileStrip } from './file-strip.js';
import { GridTable } from './grid-table.js';
import { HeaderBar } from './header-bar.js';
import { HelpDialog } from './help-dialog.js';
import { OrdersPane, SeedStory } from './orders-pane.js';
import { OrientationBox } from './orientation-box.js';
import { PageFrame } from './page-frame.js';
import { ReportPane } from './report-pane.js';
import { StatusLine, ProgressLine } from './status-line.js';
import { TabBar } from './tab-bar.js';
import { TensorList } from './tensor-list.js';
import { TracePane } from './trace-pane.js';
import { ValueView } from './value-view.js';
import { WeightStage } from './weight-stage.js';
import { WrongPane } from './wrong-pane.js';

export const ELEMENTS = {
  'bench-pane': BenchPane,
  'compare-pane': ComparePane,
  'report-pane': ReportPane,
  'block-inspector': BlockInspector,
  'byte-view': ByteView,
  'export-menu': ExportMenu,
  'file-strip': FileStrip,
  'grid-table': GridTable,
  'header-bar': HeaderBar,
  'help-dialog': HelpDialog,
  'orders-pane': OrdersPane,
  'seed-story': SeedStory,
  'orientation-box': OrientationBox,
  'page-frame': PageFrame,
  'status-line': StatusLine,
  'progress-line': ProgressLine,
  'tab-bar': TabBar,
  'tensor-list': TensorList,
  'trace-pane': TracePane,
  'value-view': ValueView,
  'weight-stage': WeightStage,
  'wrong-pane': WrongPane,
};
