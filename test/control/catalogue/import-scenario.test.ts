/** The outcome of an import for every combination of changes on both sides. */
import t, { type Test } from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';

const id = 'RT-GET-document';
const original = createScenarioText();
const inFolder = createScenarioText(id, 'body has total');
const inCatalogue = createScenarioText(id, 'body has count');
const source = 'a'.repeat(64);
const importer = { name: 'embedded' };
const ana = { name: 'ana' };

/** A catalogue whose scenario was imported from the folder as its first revision. */
async function openImported(t: Test) {
  const { control } = await openTestControlWithApp(t);
  const { catalogue } = control;
  const importText = (text: string, options: object = {}) =>
    catalogue.import('app', id, { text, source, ...options }, importer);
  t.match(await importText(original), { outcome: 'unchanged', base_revision: null });
  const edit = () => catalogue.write('app', id, { text: inCatalogue }, ana);
  const getText = async () => (await catalogue.get('app', id)).text;
  return { catalogue, importText, edit, getText };
}

t.test('a change of the folder alone is taken over', async (t) => {
  const { importText, getText } = await openImported(t);
  t.match(await importText(inFolder), {
    outcome: 'updated',
    reason: null,
    base_revision: 1,
    scenario: { revision: 2 },
  });
  t.equal(await getText(), inFolder);
  t.match(await importText(original), { outcome: 'updated', scenario: { revision: 3 } }, 'also back to an older text');
});

t.test('a change of the catalogue alone stays, at every import', async (t) => {
  const { importText, edit, getText } = await openImported(t);
  await edit();
  for (const attempt of [1, 2]) {
    const result = await importText(original);
    t.match(result, { outcome: 'kept', base_revision: 1, scenario: { revision: 2, updated_by: 'ana' } }, `${attempt}`);
    t.match(result.reason, /revision 2 by ana.*not changed since it was imported/);
  }
  t.equal(await getText(), inCatalogue);
});

t.test('changes of both are a conflict with both revisions, until one is preferred', async (t) => {
  const { importText, edit, getText } = await openImported(t);
  await edit();
  const conflict = await importText(inFolder);
  t.match(conflict, { outcome: 'conflict', base_revision: 1, scenario: { revision: 2 } });
  t.equal(conflict.reason, 'the catalogue has revision 2 by ana, and this file is based on revision 1');
  t.equal(await getText(), inCatalogue);
  t.match(await importText(inFolder, { prefer: 'catalogue' }), { outcome: 'kept' });
  t.match(await importText(inFolder), { outcome: 'kept' }, 'the decision is remembered');
  t.match(
    await importText(`${inFolder}\n`),
    { outcome: 'conflict' },
    'a later change of the file still lacks the edit',
  );
  t.match(await importText(inFolder, { prefer: 'file' }), {
    outcome: 'updated',
    reason: null,
    scenario: { revision: 3 },
  });
  t.equal(await getText(), inFolder);
  t.match(await importText(original), { outcome: 'updated', scenario: { revision: 4 } });
});

t.test('the same change on both sides is no conflict', async (t) => {
  const { importText, edit } = await openImported(t);
  await edit();
  t.match(await importText(inCatalogue), { outcome: 'unchanged', scenario: { revision: 2 } });
});

t.test('a deleted scenario does not come back by itself', async (t) => {
  const { catalogue, importText } = await openImported(t);
  await catalogue.remove('app', id, ana);
  const result = await importText(original);
  t.match(result, { outcome: 'kept', scenario: null });
  t.match(result.reason, /^it was deleted from the catalogue at revision 1 by ana/);
  t.match(await importText(inFolder), { outcome: 'conflict', scenario: null });
  t.match(await importText(inFolder, { prefer: 'file' }), { outcome: 'created', scenario: { revision: 2 } });
});

t.test('a renamed scenario is not written again under its former id', async (t) => {
  const { catalogue, importText } = await openImported(t);
  await catalogue.rename('app', id, { new_id: 'RT-doc' }, ana);
  t.match(await importText(original), { outcome: 'kept', reason: /calls it RT-doc now/ });
  t.match(await importText(inFolder), { outcome: 'conflict' });
  t.match((await catalogue.list('app', { limit: 10 })).items, [{ scenario_id: 'RT-doc' }]);
  const renamed = { text: createScenarioText('RT-doc'), source };
  t.match(await catalogue.import('app', 'RT-doc', renamed, importer), { outcome: 'unchanged' }, 'the file followed');
});

t.test('a client that knows the base of its file names it, and 0 when it does not', async (t) => {
  const { importText, edit } = await openImported(t);
  t.match(await importText(inFolder, { base_revision: 0 }), {
    outcome: 'conflict',
    reason: /never imported, pulled or pushed on this machine/,
  });
  await edit();
  t.match(await importText(inFolder, { base_revision: 1 }), { outcome: 'conflict', base_revision: 1 });
  t.match(await importText(inFolder, { base_revision: 2 }), { outcome: 'updated', scenario: { revision: 3 } });
});

t.test(
  'without a record, what the importer wrote itself is its base, and what others wrote is not overwritten',
  async (t) => {
    const { control } = await openTestControlWithApp(t);
    const { catalogue } = control;
    const importText = (text: string) => catalogue.import('app', id, { text, source }, importer);
    t.match(await importText(inFolder), { outcome: 'conflict' }, 'the revision is by the owner');
    await catalogue.write('app', id, { text: inCatalogue }, importer);
    t.match(await importText(original), { outcome: 'updated' });
    await catalogue.write('app', id, { text: inCatalogue }, ana);
    const other = { text: original, source: 'b'.repeat(64) };
    t.match(await catalogue.import('app', id, other, importer), { outcome: 'kept', reason: /an earlier revision/ });
  },
);

t.test('another folder has a base of its own', async (t) => {
  const { catalogue, importText } = await openImported(t);
  const other = 'b'.repeat(64);
  const fromOther = { text: inCatalogue, source: other, prefer: 'file' } as const;
  t.match(await catalogue.import('app', id, fromOther, ana), { outcome: 'updated' });
  t.match(await importText(original), { outcome: 'kept' });
  t.match(await importText(inFolder), { outcome: 'conflict' });
});

t.test('a text with errors is refused, and one of another scenario', async (t) => {
  const { importText } = await openImported(t);
  await t.rejects(importText('# nothing'), { code: 'SCENARIO_REFUSED' });
  await t.rejects(importText(createScenarioText('RT-other')), { code: 'SCENARIO_ID_DIFFERS' });
});
