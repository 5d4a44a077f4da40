/** Keys that are pressed before the console is loaded. */
import t from 'tap';
import { takeEarlyQuery } from '../../../src/console/palette/early-query.ts';

type Key = { readonly key: string; readonly ctrlKey?: boolean; readonly metaKey?: boolean; readonly target?: unknown };

const body = {};
const listeners = new Map<string, (event: unknown) => void>();
let imports = 0;

/** Loads the script of a page anew; the result presses a key and tells whether the page kept it from the browser. */
async function startPage(proof: string | null): Promise<(key: Key) => boolean> {
  listeners.clear();
  Object.assign(globalThis, {
    addEventListener: (type: string, listener: (event: unknown) => void) => void listeners.set(type, listener),
    removeEventListener: (type: string) => void listeners.delete(type),
    document: { body },
    localStorage: { getItem: (name: string) => (name === 'vp.proof' ? proof : null) },
    fetch: async () => Response.json({}),
  });
  imports += 1;
  await import(`../../../src/console/page-start.ts?${imports}`);
  return (key) => {
    let isPrevented = false;
    listeners.get('keydown')?.({ target: body, ...key, preventDefault: () => (isPrevented = true) });
    return isPrevented;
  };
}

t.test('the palette opens with what was typed after Ctrl-K or ⌘K, once', async (t) => {
  for (const control of [{ ctrlKey: true }, { metaKey: true }]) {
    const press = await startPage('proof');
    t.notOk(press({ key: 'x' }), 'letters before it are not for the palette');
    t.ok(press({ key: 'k', ...control }));
    for (const key of ['c', 'o', 'o', 'Backspace', 'u']) t.ok(press({ key }), key);
    for (const key of ['Shift', 'Enter', 'Tab']) t.notOk(press({ key }), key);
    t.notOk(press({ key: 'v', ...control }), 'other shortcuts are those of the browser');
    t.equal(takeEarlyQuery(), 'cou');
    t.equal(takeEarlyQuery(), undefined);
    t.notOk(press({ key: 'k', ...control }), 'the console has its own shortcut now');
  }
});

t.test('Escape takes it back, and letters in a field stay there', async (t) => {
  const press = await startPage('proof');
  press({ key: 'k', ctrlKey: true });
  t.notOk(press({ key: 'a', target: {} }));
  t.ok(press({ key: 'Escape' }));
  t.equal(takeEarlyQuery(), undefined);
});

t.test('without a session there is no palette to wait for', async (t) => {
  const press = await startPage(null);
  t.notOk(press({ key: 'k', ctrlKey: true }));
  t.equal(takeEarlyQuery(), undefined);
});
