/** Of what is opened, read and cancelled, the latest wins. */
let request = 0;

/** @returns {() => boolean} whether nothing has been asked for since */
export function begin() {
  const mine = ++request;
  return () => mine === request;
}
