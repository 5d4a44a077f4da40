/** Gives a test the globals of a browser, and the process its own again when the test ends: other files may run behind it. */
import type { Test } from 'tap';

/** Values of names that stand already are exchanged. */
export function replaceGlobals(t: Pick<Test, 'teardown'>, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    const original = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.teardown(() => {
      if (original) Object.defineProperty(globalThis, name, original);
      else Reflect.deleteProperty(globalThis, name);
    });
  }
}
