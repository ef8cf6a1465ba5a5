/**
 * Runs in the page: a flight takes so many times as long, so that it is seen under way also by who looks late.
 * @param {number} times
 */
export function slowFlights(times) {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    const { kind, millis } = message;
    const sent = kind === 'play' ? { ...message, millis: times * millis } : message;
    return postMessage.call(this, sent, ...rest);
  };
}
