/** `--failed` and `--watch`: what runs again, and that it is said. */
import { PassThrough } from 'node:stream';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const failing = { checks: ['status=200', 'body has count equals 9'] };
const files = {
  'test/scenarios/a.md': scenarioText('RT-a'),
  'test/scenarios/b.md': scenarioText('RT-b', failing),
  'test/scenarios/c.md': scenarioText('RT-c'),
};
const answer = respondWithJson({ count: 3 });

const ranIds = (stdout: string): string[] => [...stdout.matchAll(/^[✓✕] (RT-\w+) /gm)].map(([, id = '']) => id);

t.test(
  '--failed runs what did not pass in the last run of the selection, and says where that comes from',
  async (t) => {
    const { origin } = await startTarget(t, answer);
    const { vp, write } = createWorkspace(t, origin, files);
    const unknown = await vp(['run', '--local', '--failed']);
    t.match(unknown.stderr, '--failed: no earlier run of this selection is known here; running all 3\n');
    t.same(ranIds(unknown.stdout), ['RT-a', 'RT-b', 'RT-c']);

    const again = await vp(['run', '--local', '--failed']);
    t.match(again.stderr, /--failed: 1 of 3 did not pass in the last run of this selection \(\d{4}-.* UTC, .*\)\n/);
    t.same(ranIds(again.stdout), ['RT-b']);
    t.equal(again.code, 1);

    const other = await vp(['run', '--local', '--failed', '--tag', 'http']);
    t.match(other.stderr, 'no earlier run of this selection', 'another selection');

    write('test/scenarios/b.md', scenarioText('RT-b'));
    t.match(await vp(['run', '--local', '--failed']), { code: 0, stdout: '1 run: 1 passed' });
    const passed = await vp(['run', '--local', '--failed']);
    t.match(passed.stderr, /everything passed in the last run of this selection .*; running all 3\n/);
    t.equal(ranIds(passed.stdout).length, 3, 'nothing is green without a run');
  },
);

t.test('what --fail-fast left out is not forgotten by --failed', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, files);
  await vp(['run', '--local', '--fail-fast']);
  const { stdout } = await vp(['run', '--local', '--failed']);
  t.same(ranIds(stdout), ['RT-b', 'RT-c']);
});

t.test('--failed works through the queue', async (t) => {
  const { origin } = await startTarget(t, answer);
  const workspace = createWorkspace(t, origin, files);
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', origin);
  await controlPlane.vp(['run', 'test/scenarios']);
  const { stdout, stderr } = await controlPlane.vp(['run', 'test/scenarios', '--failed']);
  t.match(stderr, '--failed: 1 of 3 did not pass');
  t.same(ranIds(stdout), ['RT-b']);
});

t.test('--watch runs a changed scenario, everything after a change of the configuration, until Ctrl-C', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { start, write } = createWorkspace(t, origin, files);
  const { ended, written, interrupt } = start(['run', '--local', '--watch']);
  await eventually(() => written.stderr.includes('watching 5 files until Ctrl-C'));
  t.same(ranIds(written.stdout), ['RT-a', 'RT-b', 'RT-c']);
  const prompts = (): number => written.stderr.split('watching 5 files').length - 1;

  write('test/scenarios/b.md', `${scenarioText('RT-b')}\n`);
  await eventually(() => prompts() === 2);
  t.same(ranIds(written.stdout).slice(3), ['RT-b'], 'only what changed');
  t.match(written.stderr, 'changed: test/scenarios/b.md\n');

  write('test/scenarios/b.md', scenarioText('RT-b', { checks: ['nonsense'] }));
  await eventually(() => prompts() === 3);
  t.match(written.stderr, 'SCENARIO_FILES_INVALID', 'a mistake does not end it');

  write('product/.env', 'API_TOKEN=another\n');
  write('test/scenarios/b.md', scenarioText('RT-b'));
  await eventually(() => prompts() === 4);
  t.same(ranIds(written.stdout).slice(4), ['RT-a', 'RT-b', 'RT-c']);
  interrupt();
  t.equal(await ended, 130);
});

t.test('--watch with an id runs that scenario only, whichever file changes', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { start, write } = createWorkspace(t, origin, files);
  const { ended, written, interrupt } = start(['run', '--local', '--watch', 'RT-a']);
  const prompts = (): number => written.stderr.split('watching 5 files').length - 1;
  await eventually(() => prompts() === 1);
  write('test/scenarios/b.md', `${scenarioText('RT-b')}\n`);
  await eventually(() => prompts() === 2);
  t.same(ranIds(written.stdout), ['RT-a', 'RT-a']);
  interrupt();
  t.equal(await ended, 130);
});

t.test(
  'with a terminal Enter runs the same again, a everything, and q quits with the code of the last run',
  async (t) => {
    const { origin } = await startTarget(t, answer);
    const { start, write } = createWorkspace(t, origin, files);
    const rawModes: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => rawModes.push(raw) });
    const { ended, written } = start(['run', '--local', '--watch'], { stdin });
    const prompts = (): number => written.stderr.split('Enter: run again · a: run all · q: quit').length - 1;
    await eventually(() => prompts() === 1);
    write('test/scenarios/c.md', `${scenarioText('RT-c')}\n`);
    await eventually(() => prompts() === 2);
    stdin.write('\r');
    await eventually(() => prompts() === 3);
    t.same(ranIds(written.stdout).slice(3), ['RT-c', 'RT-c']);
    stdin.write('a');
    await eventually(() => prompts() === 4);
    t.same(ranIds(written.stdout).slice(5), ['RT-a', 'RT-b', 'RT-c']);
    stdin.write('q');
    t.equal(await ended, 1);
    t.equal(rawModes.at(-1), false, 'the terminal is as before');
  },
);

t.test('in raw mode Ctrl-C is a key', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { start } = createWorkspace(t, origin, files);
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const { ended, written } = start(['run', '--local', '--watch'], { stdin });
  await eventually(() => written.stderr.includes('q: quit'));
  stdin.write('\u0003');
  t.equal(await ended, 130);
});

t.test('--watch needs files, and excludes --json', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', files);
  t.match(await vp(['run', 'RT-a', '--watch']), { code: 2, stderr: /--watch can be used only with --local/ });
  t.match(await vp(['run', '--local', '--watch', '--json']), { code: 2, stdout: /FLAG_CONTRADICTED/ });
});
