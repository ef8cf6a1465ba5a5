// What tools.js and files.js share with the main entry: there is one copy of each, in index.js.
export * from './arguments.js';
export * from './encodings.js';
export * from './errors.js';
export * from './heap.js';
export * from './matmul.js';
export * from './packed-bytes.js';
export * from './scope.js';
export * from './view.js';
