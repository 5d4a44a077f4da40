/** The way of a newcomer: the one file and what it says to type next, from nothing to a restored backup. */
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import type { Ending, Running } from './processes.ts';
import { type Stage, scene } from './stage.ts';

const example = resolve('compose/example');

/** A shell of somebody who has put `vp` on the PATH and the control plane's address into a variable. */
class Shell {
  readonly #stage: Stage;
  readonly #home: string;
  address = '';

  constructor(stage: Stage, home: string) {
    this.#stage = stage;
    this.#home = join(stage.folder, home);
  }

  /** Types a line; what it starts is the program itself, so that signals reach it. */
  start(line: string): Running {
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

  run(line: string): Promise<Ending> {
    return this.start(line).ended;
  }

  /** Types `vp serve` and remembers its address. */
  async serve(): Promise<Running> {
    const running = this.start('vp serve --port 0');
    [, this.address = ''] = await running.said(/^ +address +(http:\S+)$/m);
    return running;
  }
}

async function stops(t: Test, running: Running): Promise<void> {
  running.signalGroup('SIGINT');
  t.match(await running.ended, { code: 0, signal: null }, 'Ctrl-C ends it with 0');
}

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

scene('from nothing to a restored backup', async (t, stage) => {
  stage.write('bin/readme', '');
  symlinkSync(packedFile, join(stage.folder, 'bin', 'vp'));
  for (const part of ['product', 'test/scenarios', 'planted']) {
    cpSync(join(example, part), join(stage.folder, part), { recursive: true });
  }
  stage.write('product/.env', 'API_TOKEN=open-sesame\nDATABASE_PASSWORD=not-used-here\n');
  const shell = new Shell(stage, 'newcomer');

  const target = shell.start('API_TOKEN=open-sesame PORT=0 vp example-target');
  const [, targetUrl = ''] = await target.said(/"msg":"listening","url":"([^"]+)"/);
  let plane = await shell.serve();

  t.match(await shell.run('vp instances'), { code: 0, stdout: /vp instances create <id>/ }, 'told what comes next');
  const created = await shell.run('vp instances create document-signing --key-file signing.key');
  t.equal(created.code, 0, created.stderr);
  const hint = /^next: `(vp executor .*)`$/m.exec(created.stdout)?.[1] ?? '';
  const typed = `${hint.replace('<folder>', 'product')} --port 0 --base-url ${targetUrl}`;
  const executor = shell.start(typed);
  await executor.said(/direct runs/);

  t.match(await shell.run('vp validate test/scenarios'), { code: 0 });
  t.match(await shell.run('vp scenarios push test/scenarios'), { code: 0, stdout: /4 of 4 sent to document-signing/ });
  t.match(await shell.run('vp scenarios push test/scenarios'), { code: 0, stdout: /0 of 4 sent.*4 unchanged/ });
  t.match(await shell.run('vp scenarios list'), { code: 0, stdout: /RT-GET-document[\s\S]*RT-GET-template/ });

  const one = await shell.run('vp run RT-GET-document');
  t.match(one, { code: 0, stdout: /RT-GET-document/ }, one.stderr);
  const all = await shell.run('vp run RT-GET-document RT-GET-envelope RT-GET-folder RT-GET-template --json');
  t.equal(all.code, 0, all.stderr);
  for (const report of JSON.parse(all.stdout).runs) {
    t.match(report, { result: 'passed', assertions_enforced_count: 5, observed_status: 200 }, report.scenario.id);
  }
  const planted = await shell.run('vp run planted/RT-GET-envelope-planted.md --report html=out/failed.html');
  t.equal(planted.code, 1);
  t.match(planted.stdout, /planted\/RT-GET-envelope-planted\.md:\d+/, 'a failing check has its place');
  t.match(readFileSync(join(stage.folder, 'out/failed.html'), 'utf8'), /^<!doctype html>/i);

  const [firstId = ''] = /\d{8}T\d{9}/.exec(one.stdout) ?? [];
  t.match(await shell.run('vp runs'), { code: 0, stdout: new RegExp(firstId) });
  t.match(await shell.run('vp runs --json'), { code: 0, stdout: /"runs"/ });
  t.match(await shell.run(`vp runs show ${firstId}`), { code: 0, stdout: /GET .*\/api\/v2\/document/ });
  const written = [plane.stdout, plane.stderr, executor.stdout, executor.stderr, one.stdout, all.stdout].join('');
  t.notMatch(written, /open-sesame/, 'the token of the target is nowhere');

  const home = join(stage.folder, 'newcomer');
  const data = join(home, 'data', 'vp');
  for (const name of ['control.db', 'master.key', 'owner.key']) t.equal(modeOf(join(data, name)), '600', name);
  t.equal(modeOf(data), '700');
  t.notOk(existsSync(join(home, '.config')), 'nothing outside of the folders it was given');

  const other = new Shell(stage, 'somebody-else');
  other.address = shell.address;
  const refused = await other.run('vp runs');
  t.match(refused, { code: 2, stderr: /CREDENTIAL_ABSENT/ }, 'another user has no credential');
  t.match(refused.stderr, 'VP_TOKEN', 'and is told how to get one');

  t.match(await shell.run('vp backup copy.db'), { code: 0, stdout: /master\.key/ });
  t.match(await shell.run('vp backup copy.db'), { code: 2, stderr: /BACKUP_EXISTS/ }, 'never overwritten');
  const later = await shell.run('vp run RT-GET-folder --json');
  const laterId: string = JSON.parse(later.stdout).runs[0].run_id;
  await stops(t, plane);
  await stops(t, executor);
  t.match(await shell.run('vp restore copy.db'), { code: 0, stdout: /start `vp serve`/ });
  plane = await shell.serve();
  t.match(await shell.run(`vp runs show ${firstId}`), { code: 0 }, 'what was there at the backup is there');
  t.match(await shell.run(`vp runs show ${laterId}`), { code: 2, stderr: /RUN_UNKNOWN/ }, 'what came later is not');
  const restarted = shell.start(typed.replace(/--control-plane \S+/, `--control-plane ${shell.address}`));
  await restarted.said(/direct runs/);
  t.match(await shell.run('vp run RT-GET-document'), { code: 0 }, 'keys and catalogue are as they were');
  await stops(t, restarted);
  await stops(t, plane);
  await stops(t, target);
});
