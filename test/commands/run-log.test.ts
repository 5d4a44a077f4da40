/** `vp run --local --log` as a process of its own: what keeps it awake, and what it says of the log. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { tellStalled } from '../../src/commands/main.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { headerIn, json } from '../targets/http-target.ts';
import { scenarioText, target, workspace } from './workspace.ts';

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The sources' own entry. */
function vp(args: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, [join(process.cwd(), 'bin/vp.ts'), ...args], { cwd });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...written })));
}

t.test('it stays until the run is told, with the lines of the first run and without any', async (t) => {
  let log = '';
  const { origin } = await target(t, (request, response, arrived) => {
    if (arrived.url === '/told') appendFileSync(log, `${headerIn(arrived, 'x-request-id')} answered\n`);
    json({ data: [] })(request, response, arrived);
  });
  const files = {
    'told.md': scenarioText('RT-told', { path: '/told' }),
    'silent.md': scenarioText('RT-silent', { path: '/silent' }),
    'app.log': 'before\n',
  };
  const { folder } = workspace(t, origin, files);
  log = join(folder, 'app.log');
  const told = await vp(['run', '--local', '--log', 'app.log', 'told.md', '--json'], folder);
  t.equal(told.code, 0, told.stderr);
  t.match(JSON.parse(told.stdout), { runs: [{ log: { line_count: 1 } }] });
  const silent = await vp(['run', '--local', '--log', 'app.log', 'silent.md', 'told.md'], folder);
  t.equal(silent.code, 0, silent.stderr);
  t.match(silent.stdout, '2 runs: 2 passed');
});

t.test('a command that waits for what cannot come ends with 4 and says so', async (t) => {
  const { environment, written } = memoryEnvironment({ args: ['run', '--local'] });
  t.equal(await tellStalled(environment), 4);
  t.match(written.stderr, /something went wrong inside vp[\s\S]*INTERNAL/);
});
