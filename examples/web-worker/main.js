// Files are read and weights multiplied in a worker: the page never waits.
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data: y }) => (document.querySelector('output').textContent = y.join(' '));
worker.postMessage('Q4_K');
