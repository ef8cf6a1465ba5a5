import { describe, infer } from './infer.js';

const [input, progress, output] = ['input', 'progress', 'output'].map((name) =>
  document.querySelector(name),
);

async function run(source) {
  output.textContent = '';
  try {
    const result = await infer(source, (share) => (progress.value = share));
    output.textContent = describe(result);
  } catch (error) {
    output.textContent = error.message;
  }
}

input.addEventListener('change', () => run(input.files[0]));

// ?file=ADDRESS opens one from the page's own server.
const address = new URL(location.href).searchParams.get('file');
if (address) run(new URL(address, location.href));
