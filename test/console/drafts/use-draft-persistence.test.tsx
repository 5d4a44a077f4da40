import { act } from 'react';
import t, { type Test } from 'tap';
import { renderConsole } from '../render-console.ts';
import { replaceGlobals } from '../replace-globals.ts';

/** A page that edits one text on revision 3, which was `saved`. */
async function renderEditor(t: Test, text: string) {
  const { createDraftStorage } = await import('../../../src/console/drafts/draft-storage.ts');
  const storage = createDraftStorage('p1', ['scenario', 'shop', 'RT-A']);
  const page = await renderConsole(t, '/', {}, async () => {
    const { useDraftPersistence } = await import('../../../src/console/drafts/use-draft-persistence.ts');
    const Editor = () => {
      useDraftPersistence(storage, text, 3, text !== 'saved');
      return null;
    };
    return <Editor />;
  });
  const send = (event: Event) => act(async () => globalThis.dispatchEvent(event));
  const leave = async (): Promise<boolean> => {
    const event = new Event('beforeunload', { cancelable: true });
    await send(event);
    return !event.defaultPrevented;
  };
  return { ...page, storage, send, leave };
}

/** What another tab does to the storage. */
function removedElsewhere(key: string): Event {
  return Object.assign(new Event('storage'), { key, newValue: null });
}

t.test('what was typed is stored when the page is hidden or left, with its revision', async (t) => {
  const { storage, send, leave } = await renderEditor(t, 'changed');
  t.equal(storage.read(), undefined);
  await send(new Event('pagehide'));
  t.match(storage.read(), { text: 'changed', revision: 3 });
  t.equal(await leave(), true, 'the browser does not ask: nothing is lost');
});

t.test('a text that is saved leaves no draft', async (t) => {
  const { storage, send, leave } = await renderEditor(t, 'saved');
  await send(new Event('pagehide'));
  t.equal(storage.read(), undefined);
  t.equal(await leave(), true);
});

t.test('the browser asks before leaving where it cannot store the draft', async (t) => {
  const { leave } = await renderEditor(t, 'changed');
  replaceGlobals(t, {
    localStorage: {
      setItem() {
        throw new Error('no room');
      },
    },
  });
  t.equal(await leave(), false);
});

t.test('a draft that another tab removed is stored again, another one is left alone', async (t) => {
  const { storage, send } = await renderEditor(t, 'changed');
  await send(removedElsewhere('vp.draft/p1/scenario/shop/RT-B'));
  t.equal(storage.read(), undefined);
  await send(removedElsewhere(storage.key));
  t.equal(storage.read()?.text, 'changed');
});

t.test('a page that is gone stores nothing', async (t) => {
  const { storage, send, unmount } = await renderEditor(t, 'changed');
  await unmount();
  await send(new Event('pagehide'));
  t.equal(storage.read(), undefined);
});
