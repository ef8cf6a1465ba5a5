/**
 * The first script. The worker starts at once, and with it the package; the page itself when what the HTML shows
 * is on screen, so that nobody waits for a script to see something.
 */
import './worker-link.js';
import { showTheme, storedTheme } from './theme.js';

showTheme(storedTheme());
await painted();
const { start } = await import('./main.js');
void start();

/** When the first frame has been drawn; a hidden page gets none. */
function painted() {
  return new Promise((resolve) => {
    setTimeout(resolve, 250);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
