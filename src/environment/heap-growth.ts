import { setFlagsFromString } from 'node:v8';

const growthFlag = '--heap-growing-percent=';
const growthPercent = 100;
/** V8 decides. */
const defaultPercent = 0;
const holdMs = 1000;

let timer: NodeJS.Timeout | undefined;

/**
 * For a second, V8 lets the heap double before it looks for garbage again. By itself it does so after a tenth, or 8 MB, where objects are
 * created slowly: and a text of 10 MB, which is outside of the heap but counted, makes it mark all objects of the heap two or three times,
 * which takes longer than everything else that is done with the text. Another Node version must be measured again.
 */
export function growHeapForLargeTexts(): void {
  if (timer) {
    timer.refresh();
    return;
  }
  setFlagsFromString(`${growthFlag}${growthPercent}`);
  timer = setTimeout(() => {
    timer = undefined;
    // V8 uses a code cache only with the flags with which it was created.
    setFlagsFromString(`${growthFlag}${defaultPercent}`);
  }, holdMs).unref();
}
