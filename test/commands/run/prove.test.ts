/** `vp prove`, without a server and through one. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Lease } from '../../../src/contract/executor-api.ts';
import { createTestReport } from '../../control/report-fixture.ts';
import { findFreePort } from '../../free-port.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const answer = respondWithJson({ data: [{ id: 7 }], count: 3 });
const provenScenario = scenarioText('RT-good', {
  checks: ['status=200', 'body has data', 'body has data[0].id equals 7'],
});
const unprovenScenario = scenarioText('RT-idle', { checks: ['status=200', 'body has count matching .*'] });

t.test('the exit code is 0 if all checks can fail and 1 otherwise, and each scenario sends one request', async (t) => {
  const { origin, arrived } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, { 'good.md': provenScenario, 'idle.md': unprovenScenario });
  const fine = await vp(['prove', '--local', 'good.md']);
  t.match(fine, { code: 0, stderr: '' });
  t.match(fine.stdout, /✓ RT-good {2}passed[\s\S]* {2}proof {2}1 covered, 2 proven · \d+ changes tried/);
  t.match(fine.stdout, '= line 19  body has data\n        nothing is wrong with it: line 20 fails whenever it does');
  t.match(fine.stdout, '    - body has count matching ^[0-9]+$  now 3\n');
  t.equal(arrived.length, 1, 'nothing more was sent');
  const { code, stdout } = await vp(['prove', '--local', 'good.md', 'idle.md']);
  t.equal(code, 1);
  t.match(stdout, '✕ line 19  body has count matching .*\n        whatever `count` is, it holds');
  t.match(stdout, '2 runs: 2 passed in');
});

t.test('after its suggestions are added, nothing is left to suggest', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp, write } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a', { checks: ['status=200'] }) });
  const readProof = async (): Promise<{ unchecked: { suggestion: string }[]; checks: { verdict: string }[] }> => {
    const { stdout } = await vp(['prove', '--local', '--json', 'a.md']);
    return JSON.parse(stdout).runs[0].proof;
  };
  const suggestions = (await readProof()).unchecked.map(({ suggestion }) => suggestion);
  t.same(suggestions, ['body has count matching ^[0-9]+$', 'body has data[0].id matching ^[0-9]+$']);
  write('a.md', scenarioText('RT-a', { checks: ['status=200', ...suggestions] }));
  const proof = await readProof();
  t.same(proof.unchecked, []);
  t.same(
    proof.checks.map(({ verdict }) => verdict),
    ['proven', 'proven', 'proven'],
  );
});

t.test('a failed run proves nothing and exits as with run', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, { 'false.md': scenarioText('RT-false', { checks: ['status=404'] }) });
  const failed = await vp(['prove', '--local', 'false.md']);
  t.equal(failed.code, 1);
  t.match(failed.stdout, 'nothing was proven, because the run failed: fix the failure first');
  const unreachable = await vp([
    'prove',
    '--local',
    'false.md',
    '--base-url',
    `http://127.0.0.1:${await findFreePort()}`,
  ]);
  t.equal(unreachable.code, 4);
});

t.test('a proof reveals no secret of the target', async (t) => {
  const { origin } = await startTarget(
    t,
    respondWithJson({ echo: 'the-token-of-the-target', said: 'it is the-token-of-the-target.' }),
  );
  const { vp } = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a', { checks: ['status=200', 'body has echo'] }),
  });
  for (const flags of [[], ['--json']]) {
    const { stdout } = await vp(['prove', '--local', 'a.md', ...flags]);
    t.match(stdout, 'said matching');
    t.notMatch(stdout, 'the-token');
  }
});

t.test('through the control plane the executor proves during the run', async (t) => {
  const { origin, arrived } = await startTarget(t, answer);
  const testWorkspace = createWorkspace(t, origin);
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-good', provenScenario);
  await controlPlane.writeScenario('shop', 'RT-idle', unprovenScenario);
  await controlPlane.startExecutor('shop', origin);
  const proven = await controlPlane.vp(['prove', 'RT-good', '--report', 'junit=out.xml']);
  t.match(proven, { code: 0, stderr: '' });
  t.match(proven.stdout, '  proof  1 covered, 2 proven');
  t.match(readFileSync(join(testWorkspace.folder, 'out.xml'), 'utf8'), '<system-out>  proof  1 covered');
  t.equal((await controlPlane.vp(['prove', 'RT-idle'])).code, 1);
  const plain = await controlPlane.vp(['run', 'RT-idle', '--json']);
  t.equal(plain.code, 0);
  t.equal(JSON.parse(plain.stdout).runs[0].proof, null, 'only where it is asked for');
  t.equal(arrived.length, 3);
});

t.test('an executor without proofs is reported: RUN_PROOF_ABSENT', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-good', provenScenario);
  const port = controlPlane.control.executorPort('shop');
  const hello = { protocol: 1, executor_version: '0.3.0', store_id: 'old', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const proving = controlPlane.vp(['prove', 'RT-good']);
  let lease: Lease | null = null;
  while (!lease) ({ lease } = await port.poll({ epoch, in_hand: null, wait_ms: 100 }));
  const { run_id: runId, fence } = lease;
  await port.complete({ epoch, run_id: runId, fence, more: false, report: createTestReport(lease, 'shop') });
  const { code, stderr } = await proving;
  t.equal(code, 4);
  t.match(
    stderr,
    /1 run passed without a proof[\s\S]*`vp instances`[\s\S]*RUN_PROOF_ABSENT|RUN_PROOF_ABSENT[\s\S]*vp instances/,
  );
});

t.test('flags that do not apply are refused', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9');
  t.equal((await vp(['prove', '--repeat', '2', 'a.md'])).code, 2);
  t.equal((await vp(['prove'])).code, 2);
  t.match((await vp(['prove', '--help'])).stdout, /Each scenario runs once/);
});
