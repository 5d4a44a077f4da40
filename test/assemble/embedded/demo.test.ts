import { existsSync } from 'node:fs';
import t from 'tap';
import { demoInstance, startDemo } from '../../../src/assemble/embedded/demo.ts';
import { processEnvironment } from '../../../src/environment/environment.ts';

const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

t.test('the demo runs its four scenarios, and the failing one fails in one check', async (t) => {
  const demo = await startDemo(processEnvironment(), quiet);
  const { plane, scenarioIds, failingScenario } = demo;
  try {
    t.same(scenarioIds, ['RT-GET-document', 'RT-GET-envelope', 'RT-GET-folder', 'RT-GET-template']);
    t.same(plane.rejected, []);
    t.equal(plane.imported, 4);
    const scenarios = [...scenarioIds.map((id) => ({ id })), { text: failingScenario }];
    const runs = await plane.control.runs.request(demoInstance, { scenarios }, { name: 'demo' });
    for (const run of runs) await plane.control.runs.wait(run.run_id, 10_000);
    const documents = await Promise.all(runs.map((run) => plane.control.runs.get(run.run_id)));
    for (const document of documents.slice(0, 4))
      t.match(document, { state: 'passed', assertions_enforced_count: 5, observed_status: 200 }, document.scenario_id);
    t.match(documents[4], {
      state: 'failed',
      failure_kind: 'body_mismatch',
      report: { failed_checks: [{ actual: '0' }] },
    });
    t.equal(documents[4]?.report?.failed_checks.length, 1);
    for (const { correlation_id } of runs)
      t.ok(
        demo.logLines.some((line) => line.includes(correlation_id)),
        'the application logged the correlation id',
      );
  } finally {
    await demo.close();
  }
  await t.rejects(fetch(`${demo.applicationUrl}/api/health`), 'nothing is left running');
  t.notOk(existsSync(plane.ownerKeyFile), 'nor lying about');
});

t.test('an unwritable temporary folder is reported', async (t) => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/proc/nowhere';
  t.teardown(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  await t.rejects(startDemo(processEnvironment(), quiet), { code: 'DEMO_FOLDER_UNWRITABLE' });
});
