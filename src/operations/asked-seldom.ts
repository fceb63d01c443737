/** How long an answer holds, in milliseconds. */
const LIFE = 1_000;

/** A question whose answer holds for a second: somebody who asks often does not make us ask somebody else often. */
export function askedSeldom<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    if (answer === undefined) {
      answer = ask();
      setTimeout(() => {
        answer = undefined;
      }, LIFE).unref();
    }
    return answer;
  };
}
