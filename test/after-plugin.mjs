/**
 * In place of the package `@tapjs/after`, which has `t.teardown`. There, the folder of `t.testdir()` is removed before the functions of
 * `t.teardown` are called if the test called `t.testdir()` first: a store that such a function closes had lost its folder. Here it is
 * removed behind them, whatever a test called first.
 */
import { After } from '../node_modules/@tapjs/after/dist/esm/index.js';

export { After };

/** What wraps the end of a test later, as `t.testdir()` does, acts behind what wrapped it before. */
export function plugin(t) {
  const after = new After(t);
  after.teardown(() => {});
  return after;
}
