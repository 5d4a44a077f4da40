/** The path of a new user: the binary and the next steps it prints, from nothing to a restored backup. */
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import type { ProcessResult, RunningProcess } from './processes.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';

const example = resolve('compose/example');

/** A shell with `vp` on its PATH and the control plane's URL in a variable. */
class Shell {
  readonly #stage: Sandbox;
  readonly #home: string;
  address = '';

  constructor(sandbox: Sandbox, home: string) {
    this.#stage = sandbox;
    this.#home = join(sandbox.folder, home);
  }

  /** Runs a line; `vp` replaces the shell, so that signals reach it. */
  start(line: string): RunningProcess {
    const home = this.#home;
    const bin = join(this.#stage.folder, 'bin');
    const variables = {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CONFIG_HOME: join(home, 'config'),
      ...(this.address === '' ? {} : { VP_CONTROL_PLANE: this.address }),
    };
    return this.#stage.start('sh', ['-c', line.replace(/^((?:\w+=\S+ )*)vp /, '$1exec vp ')], { variables });
  }

  run(line: string): Promise<ProcessResult> {
    return this.start(line).ended;
  }

  /** Runs `vp serve` and stores its address. */
  async serve(): Promise<RunningProcess> {
    const running = this.start('vp serve --port 0');
    [, this.address = ''] = await running.waitForOutput(/^ +address +(http:\S+)$/m);
    return running;
  }
}

async function assertStopsWithInterrupt(t: Test, running: RunningProcess): Promise<void> {
  running.signalGroup('SIGINT');
  t.match(await running.ended, { code: 0, signal: null }, 'Ctrl-C ends it with 0');
}

function readMode(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

sandboxTest('from nothing to a restored backup', async (t, sandbox) => {
  sandbox.write('bin/readme', '');
  symlinkSync(packedFile, join(sandbox.folder, 'bin', 'vp'));
  for (const part of ['product', 'test/scenarios', 'planted']) {
    cpSync(join(example, part), join(sandbox.folder, part), { recursive: true });
  }
  sandbox.write('product/.env', 'API_TOKEN=open-sesame\nDATABASE_PASSWORD=not-used-here\n');
  const shell = new Shell(sandbox, 'newcomer');

  const target = shell.start('API_TOKEN=open-sesame PORT=0 vp example-target');
  const [, targetUrl = ''] = await target.waitForOutput(/"msg":"listening","url":"([^"]+)"/);
  let plane = await shell.serve();

  t.match(await shell.run('vp instances'), { code: 0, stdout: /vp instances create <id>/ }, 'told what comes next');
  const created = await shell.run('vp instances create document-signing --key-file signing.key');
  t.equal(created.code, 0, created.stderr);
  const hint = /^next: `(vp executor .*)`$/m.exec(created.stdout)?.[1] ?? '';
  const typed = `${hint.replace('<folder>', 'product')} --port 0 --base-url ${targetUrl}`;
  const executor = shell.start(typed);
  await executor.waitForOutput(/direct runs/);

  t.match(await shell.run('vp validate test/scenarios'), { code: 0 });
  t.match(await shell.run('vp scenarios push test/scenarios'), { code: 0, stdout: /4 of 4 sent to document-signing/ });
  t.match(await shell.run('vp scenarios push test/scenarios'), { code: 0, stdout: /0 of 4 sent.*4 unchanged/ });
  t.match(await shell.run('vp scenarios list'), { code: 0, stdout: /RT-GET-document[\s\S]*RT-GET-template/ });

  const singleRun = await shell.run('vp run RT-GET-document');
  t.match(singleRun, { code: 0, stdout: /RT-GET-document/ }, singleRun.stderr);
  const all = await shell.run('vp run RT-GET-document RT-GET-envelope RT-GET-folder RT-GET-template --json');
  t.equal(all.code, 0, all.stderr);
  for (const report of JSON.parse(all.stdout).runs) {
    t.match(report, { result: 'passed', assertions_enforced_count: 5, observed_status: 200 }, report.scenario.id);
  }
  const planted = await shell.run('vp run planted/RT-GET-envelope-planted.md --report html=out/failed.html');
  t.equal(planted.code, 1);
  t.match(planted.stdout, /planted\/RT-GET-envelope-planted\.md:\d+/, 'a failing check has its place');
  t.match(readFileSync(join(sandbox.folder, 'out/failed.html'), 'utf8'), /^<!doctype html>/i);

  const [firstId = ''] = /\d{8}T\d{9}/.exec(singleRun.stdout) ?? [];
  t.match(await shell.run('vp runs'), { code: 0, stdout: new RegExp(firstId) });
  t.match(await shell.run('vp runs --json'), { code: 0, stdout: /"runs"/ });
  t.match(await shell.run(`vp runs show ${firstId}`), { code: 0, stdout: /GET .*\/api\/v2\/document/ });
  const written = [plane.stdout, plane.stderr, executor.stdout, executor.stderr, singleRun.stdout, all.stdout].join('');
  t.notMatch(written, /open-sesame/, 'the token of the target is nowhere');

  const home = join(sandbox.folder, 'newcomer');
  const data = join(home, 'data', 'vp');
  for (const name of ['control.db', 'master.key', 'owner.key']) t.equal(readMode(join(data, name)), '600', name);
  t.equal(readMode(data), '700');
  t.notOk(existsSync(join(home, '.config')), 'nothing outside of the folders it was given');

  const other = new Shell(sandbox, 'somebody-else');
  other.address = shell.address;
  const refused = await other.run('vp runs');
  t.match(refused, { code: 2, stderr: /CREDENTIAL_ABSENT/ }, 'another user has no credential');
  t.match(refused.stderr, 'VP_TOKEN', 'and is told how to get one');

  t.match(await shell.run('vp backup copy.db'), { code: 0, stdout: /master\.key/ });
  t.match(await shell.run('vp backup copy.db'), { code: 2, stderr: /BACKUP_EXISTS/ }, 'never overwritten');
  const later = await shell.run('vp run RT-GET-folder --json');
  const laterId: string = JSON.parse(later.stdout).runs[0].run_id;
  await assertStopsWithInterrupt(t, plane);
  await assertStopsWithInterrupt(t, executor);
  t.match(await shell.run('vp restore copy.db'), { code: 0, stdout: /start `vp serve`/ });
  plane = await shell.serve();
  t.match(await shell.run(`vp runs show ${firstId}`), { code: 0 }, 'what was there at the backup is there');
  t.match(await shell.run(`vp runs show ${laterId}`), { code: 2, stderr: /RUN_UNKNOWN/ }, 'what came later is not');
  const restarted = shell.start(typed.replace(/--control-plane \S+/, `--control-plane ${shell.address}`));
  await restarted.waitForOutput(/direct runs/);
  t.match(await shell.run('vp run RT-GET-document'), { code: 0 }, 'keys and catalogue are as they were');
  await assertStopsWithInterrupt(t, restarted);
  await assertStopsWithInterrupt(t, plane);
  await assertStopsWithInterrupt(t, target);
});
