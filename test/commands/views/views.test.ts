/** `vp views`, `vp runs --view` and `vp scenarios list --view`, on a real control plane. */
import t, { type Test } from 'tap';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const passing = scenarioText('RT-a', { checks: ['status=200', 'body has count equals 3'], tags: 'smoke' });
const failing = scenarioText('RT-b', { checks: ['status=200', 'body has count equals 4'], tags: 'smoke' });

async function startShop(t: Test) {
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  const controlPlane = await startTestControlPlane(t, createWorkspace(t, origin));
  await controlPlane.registerInstance('shop');
  return { ...controlPlane, origin };
}

t.test('a view is saved, listed, replaced, renamed and deleted', async (t) => {
  const { vp } = await startShop(t);
  t.match(await vp(['views', 'list']), { code: 0, stdout: /^shop has no saved views; `vp views save/ });
  const saved = await vp(['views', 'save', 'Failed today', '--result', 'failed', '--since', 'today']);
  t.match(saved, { code: 0, stdout: 'view Failed today of runs, shared: result failed, since today\n' });
  await vp(['views', 'save', 'Gone', '--page', 'scenarios', '--find', 'tag:smoke', '--deleted']);
  t.match((await vp(['views', 'list'])).stdout, /Failed today +runs +result failed, since today +everyone/);
  t.match((await vp(['views', 'list'])).stdout, /Gone +scenarios +find tag:smoke, deleted +everyone/);
  const replaced = await vp(['views', 'save', 'failed TODAY', '--result', 'broken', '--replace', '--json']);
  const { view } = JSON.parse(replaced.stdout);
  t.match(view, { name: 'Failed today', filters: { result: 'broken', since: undefined } });
  t.match(await vp(['views', 'rename', view.view_id, 'Broken']), {
    stdout: /^view Broken of runs, shared: result broken/,
  });
  t.match(await vp(['views', 'delete', 'broken']), { code: 0, stdout: 'view Broken of runs is deleted\n' });
  t.match(await vp(['views', 'delete', 'broken']), { code: 2, stderr: /VIEW_UNKNOWN/ });
  t.match(JSON.parse((await vp(['views', 'list', '--json'])).stdout), { views: [{ name: 'Gone', view_id: String }] });
});

t.test('what is no view of a page is refused with its reason', async (t) => {
  const { vp } = await startShop(t);
  const refuse = async (args: readonly string[], pattern: RegExp) => {
    const { code, stderr } = await vp(['views', ...args]);
    t.match({ code, stderr }, { code: 2, stderr: pattern }, args.join(' '));
  };
  await refuse(['save', 'Everything'], /would show everything/);
  await refuse(['save', 'X', '--since', '2h'], /today, 1h/);
  await refuse(['save', 'X', '--page', 'scenarios', '--result', 'failed'], /no filter result/);
  await refuse(['save', 'X', '--find', 'a', '--replace', '--personal'], /FLAG_CONTRADICTED/);
  await refuse(['save', 'X', '--find', 'a', '--replace'], /VIEW_UNKNOWN/);
  await vp(['views', 'save', 'Smoke', '--find', 'tag:smoke']);
  await refuse(['save', 'smoke', '--find', 'a'], /VIEW_NAME_TAKEN/);
  await vp(['views', 'save', 'Smoke', '--find', 'tag:smoke', '--page', 'scenarios']);
  await refuse(['rename', 'smoke', 'Other'], /VIEW_AMBIGUOUS[\s\S]*\(runs\), [0-9a-f]{16} \(scenarios\)/);
});

t.test('vp runs lists what a view selects, and nothing else', async (t) => {
  const { vp, writeScenario, startExecutor, origin } = await startShop(t);
  await writeScenario('shop', 'RT-a', passing);
  await writeScenario('shop', 'RT-b', failing);
  await startExecutor('shop', origin);
  await vp(['run', 'RT-a', 'RT-b', '--instance', 'shop']);
  await vp(['views', 'save', 'Failed smoke', '--find', 'tag:smoke "equals 4"', '--result', 'failed', '--since', '24h']);
  await vp(['views', 'save', 'Never', '--find', 'tag:none']);
  await vp(['views', 'save', 'Smoke', '--find', 'tag:smoke', '--page', 'scenarios']);
  const { code, stdout } = await vp(['runs', '--view', 'failed smoke', '--json']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout).runs, [{ scenario_id: 'RT-b', state: 'failed' }]);
  t.equal(JSON.parse(stdout).runs.length, 1);
  t.match(await vp(['runs', '--view', 'Never']), { code: 0, stdout: 'no runs of the view Never\n' });
  t.match(await vp(['runs', '--view', 'Smoke']), {
    code: 2,
    stderr: /page scenarios, not of runs\s*\(VIEW_OF_OTHER_PAGE/,
  });
  t.match(await vp(['runs', '--view', 'nothing']), { code: 2, stderr: /VIEW_UNKNOWN/ });
  for (const flags of [['--state', 'failed'], ['--tag', 'smoke'], ['--target-version', '2'], ['--watch']])
    t.match(await vp(['runs', '--view', 'Never', ...flags]), { code: 2, stderr: /FLAG_CONTRADICTED/ }, flags.join(' '));
});

t.test('vp scenarios list lists what a view selects, as the page does', async (t) => {
  const { vp, writeScenario } = await startShop(t);
  await writeScenario('shop', 'RT-a', passing);
  await writeScenario('shop', 'RT-b', failing);
  await writeScenario('shop', 'RT-old', scenarioText('RT-old', { checks: ['status=200'], tags: 'smoke' }));
  await vp(['scenarios', 'delete', 'RT-old', '--yes', '--instance', 'shop']);
  const save = (name: string, find: string, ...more: readonly string[]) =>
    vp(['views', 'save', name, '--page', 'scenarios', '--find', find, ...more]);
  await save('Smoke', 'tag:smoke');
  await save('First', 'tag:smoke RT-A');
  await save('Of the path', 'path:/ RT-b');
  await save('Other path', 'path:/nothing/here');
  await save('Gone', 'tag:smoke', '--deleted');
  await save('Gone otherwise', 'tag:none', '--deleted');
  await vp(['views', 'save', 'Smoke', '--find', 'tag:none']);
  const list = async (view: string): Promise<string[]> => {
    const { code, stdout } = await vp(['scenarios', 'list', '--view', view, '--json']);
    t.equal(code, 0);
    return JSON.parse(stdout).scenarios.map((entry: { scenario_id: string }) => entry.scenario_id);
  };
  t.same(await list('smoke'), ['RT-a', 'RT-b'], 'of two views with the name the one of scenarios');
  t.same(await list('First'), ['RT-a']);
  t.same(await list('Of the path'), ['RT-b']);
  t.same(await list('Other path'), []);
  t.same(await list('Gone'), ['RT-old']);
  t.match(await vp(['scenarios', 'list', '--view', 'First']), { code: 0, stdout: /RT-a/ });
  t.match(
    (await vp(['scenarios', 'list', '--view', 'Other path'])).stdout,
    /^no scenario of shop is in the view Other path/,
  );
  t.equal(
    (await vp(['scenarios', 'list', '--view', 'Gone otherwise'])).stdout,
    'no deleted scenario of shop is in the view Gone otherwise\n',
  );
  await vp(['views', 'save', 'Failed', '--result', 'failed']);
  t.match(await vp(['scenarios', 'list', '--view', 'Failed']), {
    code: 2,
    stderr: /page runs, not of scenarios\s*\(VIEW_OF_OTHER_PAGE/,
  });
  t.match(await vp(['scenarios', 'list', '--view', 'nothing']), { code: 2, stderr: /VIEW_UNKNOWN/ });
  for (const flags of [['--tag', 'smoke'], ['--owner', 'ana'], ['--deleted']])
    t.match(
      await vp(['scenarios', 'list', '--view', 'Smoke', ...flags]),
      { code: 2, stderr: /FLAG_CONTRADICTED/ },
      flags.join(' '),
    );
  t.match(await vp(['scenarios', 'list', '--help']), { code: 0, stdout: /--view <view>/ });
});
