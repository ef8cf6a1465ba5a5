export { PackedError } from 'packed-weights';
