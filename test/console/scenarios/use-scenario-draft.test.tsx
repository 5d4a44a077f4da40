import { act } from 'react';
import t, { type Test } from 'tap';
import type { useScenarioDraft } from '../../../src/console/scenarios/use-scenario-draft.ts';
import { createScenarioText, startConsoleTestPlane } from '../render-with-control-plane.ts';

type ScenarioDraft = ReturnType<typeof useScenarioDraft>;

const id = 'RT-ORDERS';

async function startEditor(t: Test) {
  const setup = await startConsoleTestPlane(t);
  await setup.vp.scenarios.write('shop', id, { text: createScenarioText(id), if_revision: 0 });
  const open = async (scenario: string | undefined = id, stored?: { text: string; revision: number }) => {
    let draft: ScenarioDraft | undefined;
    const current = scenario === undefined ? undefined : await setup.vp.scenarios.get('shop', scenario);
    const page = await setup.render(t, `/instances/shop/scenarios/${id}`, async () => {
      const { useScenarioDraft: useDraft } = await import('../../../src/console/scenarios/use-scenario-draft.ts');
      const { createDraftStorage } = await import('../../../src/console/drafts/draft-storage.ts');
      if (stored)
        createDraftStorage('owner-key', ['scenario', 'shop', scenario ?? '']).write(stored.text, stored.revision);
      const Editor = () => {
        const { text = '', revision = 0 } = current ?? {};
        draft = useDraft({ instance: 'shop', id: scenario, text, revision });
        return null;
      };
      return <Editor />;
    });
    const read = (): ScenarioDraft => {
      if (!draft) throw new Error('nothing was rendered');
      return draft;
    };
    const change = (text: string) => act(async () => read().changeText(text));
    const save = () => act(async () => read().saveOver());
    return { ...page, read, change, save };
  };
  return { ...setup, open };
}

t.test('a change is saved as the next revision on the one that it is based on', async (t) => {
  const { vp, open } = await startEditor(t);
  const { read, change, save, until } = await open();
  t.equal(read().isChanged, false);
  await change(createScenarioText(id, '/orders'));
  await until(() => read().canSave);
  t.equal(read().isChanged, true);
  await save();
  await until(() => read().isSaved);
  t.match(await vp.scenarios.get('shop', id), { revision: 2, text: createScenarioText(id, '/orders') });
  t.equal(read().revision, 2);
});

t.test('a text with a mistake, or with the ID of another scenario, cannot be saved', async (t) => {
  const { vp, open } = await startEditor(t);
  await vp.scenarios.write('shop', 'RT-TAKEN', { text: createScenarioText('RT-TAKEN'), if_revision: 0 });
  const { read, change, until } = await open();
  await change('# Scenario: none');
  await until(() => read().diagnostics.length > 0);
  t.equal(read().canSave, false);
  await change(createScenarioText('RT-TAKEN'));
  await until(() => read().diagnostics.some(({ message }) => /RT-TAKEN/.test(message)));
  t.equal(read().canSave, false);
  t.equal(read().isSavable(), false);
});

t.test('somebody else saved in between: saving is refused, and the text stays', async (t) => {
  const { vp, open } = await startEditor(t);
  const { read, change, save, until } = await open();
  await change(createScenarioText(id, '/mine'));
  await vp.scenarios.write('shop', id, { text: createScenarioText(id, '/theirs'), if_revision: 1 });
  await until(() => read().canSave);
  await save();
  await until(() => read().error !== null);
  t.match(read().error, { code: 'SCENARIO_CHANGED' });
  t.equal(read().text, createScenarioText(id, '/mine'));
  t.equal((await vp.scenarios.get('shop', id)).text, createScenarioText(id, '/theirs'));
});

t.test('a stored draft is restored on its own revision; one that equals the saved text is not', async (t) => {
  const { open } = await startEditor(t);
  const mine = createScenarioText(id, '/mine');
  const restored = await open(id, { text: mine, revision: 1 });
  t.equal(restored.read().text, mine);
  t.type(restored.read().restoredAtMs, 'number');
  await restored.change(createScenarioText(id));
  t.equal(restored.read().isChanged, false);
  t.equal(restored.read().restoredAtMs, undefined);
  const same = await open(id, { text: createScenarioText(id), revision: 1 });
  t.equal(same.read().restoredAtMs, undefined);
  t.equal(same.read().isChanged, false);
  t.equal(localStorage.getItem(`vp.draft/owner-key/scenario/shop/${id}`), null, 'and it is gone');
});
