/** `vp run --local --log` in its own process: it stays alive until it is done, and reads the log. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { reportStalledCommand } from '../../../src/commands/main.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { sourceOptions } from '../../source-program.ts';
import { getHeader, respondWithJson } from '../../targets/http-target.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The sources' own entry. */
function vp(args: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, [...sourceOptions, join(process.cwd(), 'bin/vp.ts'), ...args], { cwd });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...written })));
}

t.test('it stays alive until the results are printed, with and without log lines', async (t) => {
  let log = '';
  const { origin } = await startTarget(t, (request, response, arrived) => {
    if (arrived.url === '/told') appendFileSync(log, `${getHeader(arrived, 'x-request-id')} answered\n`);
    respondWithJson({ data: [] })(request, response, arrived);
  });
  const files = {
    'told.md': scenarioText('RT-told', { path: '/told' }),
    'silent.md': scenarioText('RT-silent', { path: '/silent' }),
    'app.log': 'before\n',
  };
  const { folder } = createWorkspace(t, origin, files);
  log = join(folder, 'app.log');
  const logged = await vp(['run', '--local', '--log', 'app.log', 'told.md', '--json'], folder);
  t.equal(logged.code, 0, logged.stderr);
  t.match(JSON.parse(logged.stdout), { runs: [{ log: { line_count: 1 } }] });
  const silent = await vp(['run', '--local', '--log', 'app.log', 'silent.md', 'told.md'], folder);
  t.equal(silent.code, 0, silent.stderr);
  t.match(silent.stdout, '2 runs: 2 passed');
});

t.test('a log that is named and cannot be read is refused before a request is sent', async (t) => {
  const { origin, arrived } = await startTarget(t, respondWithJson({ data: [] }));
  const { vp: run } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a', {}) });
  const cases = [
    [['--log', 'missing.log'], /--log names missing\.log, and there is no such file; .* create it empty/],
    [['--log', '.'], /--log names \., which is a folder/],
    [['--log', 'unix:missing.sock'], /--log names the socket missing\.sock, and there is none/],
  ] as const;
  for (const command of ['run', 'prove'])
    for (const [flags, message] of cases) {
      const { code, stderr } = await run([command, '--local', ...flags, 'a.md']);
      t.equal(code, 2);
      t.match(stderr.replaceAll(/\s+/g, ' '), message);
      t.match(stderr, 'FLAG_INVALID');
    }
  const both = await run(['run', '--local', '--watch', '--log', '-', 'a.md']);
  t.match(both, { code: 2, stderr: /FLAG_CONTRADICTED/ }, 'both would read standard input');
  t.equal(arrived.length, 0);
});

t.test('a stalled command exits with 4 and reports it', async (t) => {
  const { environment, written } = memoryEnvironment({ args: ['run', '--local'] });
  t.equal(await reportStalledCommand(environment), 4);
  t.match(written.stderr, /something went wrong inside vp[\s\S]*INTERNAL/);
});
