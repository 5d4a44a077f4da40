import { setFlagsFromString } from 'node:v8';

const holdMs = 1000;

/** While it is held, and what V8 does by itself. */
const settings = [
  ['--heap-growing-percent=100', '--heap-growing-percent=0'],
  ['--external-memory-accounted-in-global-limit', '--no-external-memory-accounted-in-global-limit'],
] as const;

let timer: NodeJS.Timeout | undefined;

/**
 * For a second, V8 lets the heap double before it looks for garbage again, and counts buffers and long texts, which are outside of
 * the heap, towards a limit of their own kind. By itself it looks for garbage after a tenth, or 8 MB, where objects are created slowly, and
 * counts what is outside as if it had been added to the heap: so 10 MB that are read from a socket make it mark all objects of the heap once
 * or more, which takes longer than everything else that is done with them. The second is the default from V8 14.8 on, which does not have the
 * option any more. Another Node version must be measured again.
 */
export function growHeapForLargeTexts(): void {
  if (timer) {
    timer.refresh();
    return;
  }
  for (const [held] of settings) setFlagsFromString(held);
  timer = setTimeout(() => {
    timer = undefined;
    // V8 uses a code cache only with the flags with which it was created.
    for (const [, normal] of settings) setFlagsFromString(normal);
  }, holdMs).unref();
}
