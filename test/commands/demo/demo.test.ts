import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { createWorkspace } from '../test-workspace.ts';

t.test('the demo shows four passed runs and a planted failure explained', async (t) => {
  const { code, stdout, stderr } = await createWorkspace(t, 'http://127.0.0.1:1').vp(['demo']);
  t.equal(code, 0);
  t.equal(stderr, '');
  for (const id of ['RT-GET-document', 'RT-GET-envelope', 'RT-GET-folder', 'RT-GET-template'])
    t.match(stdout, new RegExp(`✓ ${id} +passed  observed_status 200 · assertions_enforced_count 5`));
  t.match(stdout, 'RT-GET-envelope-planted.md:24:3');
  t.match(stdout, "status matched but the response body did not satisfy the scenario's body assertion");
  t.match(stdout, /expected {2}a value matching \^\[1-9\]\[0-9\]\*\$\n {4}actual {4}0/);
  t.match(stdout, '4 of 4 passed, 1 failed as planned');
  t.match(stdout, /"requestId":"tr-\d{8}T\d{9}-/);
});

t.test('as JSON it is one document with every report', async (t) => {
  const { code, stdout } = await createWorkspace(t, 'http://127.0.0.1:1').vp(['demo', '--json']);
  t.equal(code, 0);
  const result = JSON.parse(stdout);
  t.equal(result.runs.length, 4);
  t.match(result.runs[0], { state: 'passed', report: { exchange: { response: { status: 200 } } } });
  t.match(result.planted, { state: 'failed', report: { failed_checks: [{ line: 24 }] } });
});

t.test('with --keep it serves other commands until it is interrupted', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:1');
  const demo = testWorkspace.start(['demo', '--keep']);
  await eventually(() => demo.written.stdout, { until: (text) => text.includes('Press Ctrl-C to stop') });
  const url = /--control-plane (\S+)/.exec(demo.written.stdout)?.[1] ?? '';
  const { code, stdout } = await testWorkspace.vp(['run', 'RT-GET-folder', '--control-plane', url]);
  t.equal(code, 0, stdout);
  demo.interrupt();
  t.equal(await demo.ended, 0);
  t.same(readdirSync(join(testWorkspace.paths.config, 'credentials')), [], 'its credential is removed');
});
