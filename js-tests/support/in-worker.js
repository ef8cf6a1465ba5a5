/** What tests have the page's worker do before its own code runs: text for servePage's `inWorker`. */

/**
 * Once it is asked one of `questions` (its name, a space, what it is about as JSON), every read of a file takes a while,
 * so that a large one is not there before the page has said that it is not wanted.
 * @param {RegExp} questions
 */
export const slowReads = (questions) => `(${readSlowly})(${questions});`;

/** @param {RegExp} questions */
function readSlowly(questions) {
  let slow = false;
  self.addEventListener('message', ({ data: { question, about } }) => {
    slow ||= questions.test(`${question} ${JSON.stringify(about)}`);
  });
  for (const [kind, read] of [
    [globalThis.ReadableStreamBYOBReader, 'read'],
    [Blob, 'arrayBuffer'],
  ]) {
    const atOnce = kind?.prototype[read];
    if (!atOnce) continue;
    kind.prototype[read] = async function (...how) {
      if (slow) await new Promise((resolve) => setTimeout(resolve, 30));
      return atOnce.apply(this, how);
    };
  }
}

/**
 * While the last question asked is one of `questions`, every read of a file fails.
 * @param {RegExp} questions
 */
export const failingReads = (questions) => `(${failReads})(${questions});`;

/** @param {RegExp} questions */
function failReads(questions) {
  let failing = false;
  self.addEventListener('message', ({ data: { question, about } }) => {
    if (question) failing = questions.test(`${question} ${JSON.stringify(about)}`);
  });
  const read = Blob.prototype.arrayBuffer;
  Blob.prototype.arrayBuffer = function () {
    return failing ? Promise.reject(new Error('The disk is lost.')) : read.call(this);
  };
}
