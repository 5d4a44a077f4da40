import t from 'tap';
import { createDraftStorage, listDrafts } from '../../../src/console/drafts/draft-storage.ts';
import { replaceGlobals } from '../replace-globals.ts';

/** A store of the browser with room for `maxCharacters`. */
function createLocalStorage(maxCharacters = 10_000): Record<string, unknown> {
  const storage: Record<string, unknown> = {};
  const methods = {
    getItem: (name: string) => storage[name] ?? null,
    removeItem: (name: string) => delete storage[name],
    setItem(name: string, value: string) {
      if (value.length > maxCharacters) throw new Error('QuotaExceededError');
      storage[name] = value;
    },
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(storage, name, { value });
  return storage;
}

t.test('a draft belongs to an account and a subject', async (t) => {
  replaceGlobals(t, { localStorage: createLocalStorage() });
  const draft = createDraftStorage('ana', ['scenario', 'shop', 'RT-1']);
  t.equal(draft.read(), undefined);
  t.equal(draft.write('# typed', 3), true);
  t.match(draft.read(), { text: '# typed', revision: 3 });
  t.equal(createDraftStorage('max', ['scenario', 'shop', 'RT-1']).read(), undefined);
  t.equal(createDraftStorage('ana', ['scenario', 'shop', 'RT-2']).read(), undefined);
  createDraftStorage('ana', ['scenario', 'shop', '']).write('new', 0);
  createDraftStorage('ana', ['scenario', 'shop/RT', '1']).write('another instance', 0);
  t.same([...listDrafts('ana', ['scenario', 'shop'])].sort(), ['', 'RT-1']);
  draft.remove();
  t.equal(draft.read(), undefined);
});

t.test('a store that is full, denied or damaged is told from an empty one', async (t) => {
  replaceGlobals(t, { localStorage: createLocalStorage(100) });
  const draft = createDraftStorage('ana', ['scenario', 'shop', 'RT-1']);
  t.equal(draft.write('x'.repeat(200), 1), false);
  replaceGlobals(t, { localStorage: undefined });
  t.equal(draft.write('x', 1), false);
  t.equal(draft.read(), undefined);
  t.same(listDrafts('ana', ['scenario', 'shop']), []);
  const damaged = createLocalStorage();
  damaged[draft.key] = '{"text":3}';
  replaceGlobals(t, { localStorage: damaged });
  t.equal(draft.read(), undefined);
});
