/** `vp open` and `vp export`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

/** Two runs of a suite, one of which fails. */
async function startShop(t: Test) {
  const { origin } = await startTarget(t, respondWithJson({ data: [], count: 3 }));
  const workspace = createWorkspace(t, origin);
  const { vp, ...controlPlane } = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  const write = (id: string, check: string) =>
    controlPlane.writeScenario('shop', id, scenarioText(id, { checks: ['status=200', check] }));
  await write('RT-GET-document', 'body has count equals 3');
  await write('RT-GET-folder', 'body has count equals 9');
  await controlPlane.startExecutor('shop', origin);
  const { stdout } = await vp(['run', 'RT-GET-document', 'RT-GET-folder']);
  const suite = /suite (s\d{8}T\d{9}) · http/.exec(stdout)?.[1] ?? '';
  const { runs } = JSON.parse((await vp(['runs', '--state', 'failed', '--json'])).stdout);
  const { failures } = JSON.parse((await vp(['failures', '--json'])).stdout);
  const file = (name: string): string => join(workspace.folder, name);
  return { vp, file, suite, run: String(runs[0].run_id), failure: String(failures[0].failure_id) };
}

t.test('a run, a suite and a failure have an address, which is printed', async (t) => {
  const { vp, suite, run, failure } = await startShop(t);
  const address = async (...words: string[]) => (await vp(['open', ...words])).stdout;
  t.match(await address(run), new RegExp(`^http://[^/]+/runs/${run}\n$`));
  t.match(await address(run.slice(-6)), `/runs/${run}\n`, 'a part that only one run has');
  t.match(await address(suite), `/instances/shop/suites/${suite}\n`);
  t.match(await address(failure), `/instances/shop/failures/${failure}\n`);
  t.match(JSON.parse(await address(run, '--json')), { url: new RegExp(`/runs/${run}$`), opened: false });
  t.match(await vp(['open', 's20200101T000000000']), { code: 2, stderr: /SUITE_UNKNOWN/ });
  t.match(await vp(['open', '20200101T000000000']), { code: 2, stderr: /RUN_UNKNOWN/ });
  t.match(await vp(['open', run, '--control-plane', 'unix:/nowhere.sock'], { variables: { VP_TOKEN: 'vpk_x' } }), {
    code: 2,
    stderr: /a browser cannot open the pages of a socket/,
  });
});

t.test('a run or a suite is written to one file, and no file is replaced unless that is wanted', async (t) => {
  const { vp, file, suite, run, failure } = await startShop(t);
  t.match(await vp(['export', run]), { code: 0, stdout: new RegExp(`^run ${run} is in .*/${run}\\.html \\(`) });
  const html = readFileSync(file(`${run}.html`), 'utf8');
  t.match(html, /^<!doctype html>[\s\S]*RT-GET-folder/i);
  t.notMatch(html, /(?:src|href)="(?:https?:)?\/\//, 'it loads nothing');
  writeFileSync(file(`${run}.html`), 'mine');
  t.match(await vp(['export', run]), { code: 2, stderr: /EXPORT_FILE_EXISTS/ });
  t.equal(readFileSync(file(`${run}.html`), 'utf8'), 'mine');
  t.equal((await vp(['export', run, '--force'])).code, 0);
  t.equal(readFileSync(file(`${run}.html`), 'utf8'), html);
  for (const folder of [
    ['--out', '.'],
    ['--out', '.', '--force'],
    ['--out', 'new/'],
  ]) {
    const refused = await vp(['export', run, ...folder]);
    t.match(refused, { code: 2, stderr: /EXPORT_FILE_IS_FOLDER/ });
    t.notMatch(refused.stderr, '--force', 'it would not help');
  }
  t.notOk(existsSync(file('new')));
  const written = JSON.parse((await vp(['export', suite, '--out', 'out/all.html', '--json'])).stdout);
  const all = readFileSync(file('out/all.html'), 'utf8');
  t.match(written, { file: file('out/all.html'), size_bytes: Buffer.byteLength(all) });
  t.match(all, 'RT-GET-document');
  t.match(await vp(['export', failure]), { code: 2, stderr: new RegExp(`EXPORT_OF_FAILURE[\\s\\S]*vp export ${run}`) });
  t.notOk(existsSync(file(`${failure}.html`)));
});
