/**
 * Onboarding and teardown for real: an application in containers, the packed program, a control plane of its own, and the
 * machine's fixed ports. Length: one machine, set up once, for all of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { portOf } from '../targets/raw-target.ts';
import { type Called, image, machine, secrets } from './machine.ts';

const program = resolve('dist/vp');
const instance = 'vp-test-onboard';
const port = 23_771;
const url = `http://127.0.0.1:${port}`;
const own = machine({
  ...{ name: instance, appPort: 23_772 },
  passOver: /^\.local\/share\/vp\/(control\.|\w+\.db|executors|transcripts|\w+\.key)|^\.cache/,
});
const { at, call, docker, files, home, standing, variables } = own;
const data = (name: string): string => at(`.local/share/vp/${name}`);

const vp = (words: readonly string[], more: Record<string, string> = {}): Promise<Called> => call(program, words, more);

const common = ['--tier', 'compose', '--instance-id', instance, '--control-plane', url];
const onboarding = ['onboard', ...common, '--product-dir', 'product', '--test-dir', 'test', '--image', image];

let stop = async (): Promise<void> => undefined;

t.before(async () => {
  await own.clear();
  await own.startTarget();
  own.writeFolders();
  stop = await own.startControlPlane(program, port);
});

t.teardown(async () => {
  await stop();
  await own.clear();
  own.removeHome();
});

t.jobs = 1;

t.test('the plan names everything and changes nothing', async (t) => {
  const before = { standing: await standing(), files: files() };
  const { code, stdout, stderr } = await vp([...onboarding, '--dry-run', '--json']);
  t.equal(code, 0, stderr);
  const { items } = JSON.parse(stdout);
  const named = items.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`);
  for (const name of [
    `container platform-inst-${instance}-executor-1`,
    'container platform-router',
    'network platform-obs',
  ])
    t.ok(named.includes(name), name);
  t.same({ standing: await standing(), files: files() }, before);
});

t.test('an application in containers is onboarded, used, and torn down to how it was', async (t) => {
  const before = { standing: await standing(), files: files() };
  const composeFile = readFileSync(at('target/compose.yaml'), 'utf8');

  const first = await vp(onboarding);
  t.equal(first.code, 0, `${first.stdout}${first.stderr}`);
  t.match(first.stdout, /^ALL SET$/m);
  for (const line of [
    `control plane  ${url}`,
    'dashboard      http://127.0.0.1:3000 (up)',
    `instance       ${instance}, executor REGISTERED`,
    'scenarios      imported 4 of 4',
    'test agent     16 tools',
    'product agent  6 tools',
    '1 log line found, database read',
  ])
    t.ok(first.stdout.includes(line), line);
  t.equal((await fetch('http://127.0.0.1:3000/healthz')).status, 200);

  const runs = await vp(['run', '--instance', instance, '--control-plane', url, 'test']);
  t.match(runs, { code: 0, stdout: /4 runs: 4 passed/ });

  const second = await vp([...onboarding, '--json']);
  t.equal(second.code, 0, second.stderr);
  const events = second.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(events.at(-1), { event: 'headline', outcome: 'ALL SET', unchanged: true, test_agent: { tools: 16 } });
  t.same(
    events.filter(({ outcome }) => outcome === 'done'),
    [],
  );

  const kit = data(`kits/${instance}`);
  const journal = readFileSync(join(kit, 'journal.json'), 'utf8');
  const transcript = readFileSync(data(`transcripts/${instance}.log`), 'utf8');
  const { mcpServers } = JSON.parse(readFileSync(at('test/.mcp.json'), 'utf8'));
  const token = mcpServers[`vp-${instance}`].headers.Authorization.slice('Bearer '.length);
  const composed = readFileSync(join(kit, 'compose/compose.yaml'), 'utf8');
  for (const secret of [...Object.values(secrets), token, readFileSync(join(kit, 'machine.key'), 'utf8').trim()])
    for (const text of [journal, transcript, composed, first.stdout, second.stdout]) t.notOk(text.includes(secret));

  const down = await vp(['teardown', ...common, '--no-sign-in']);
  t.equal(down.code, 0, `${down.stdout}${down.stderr}`);
  t.match(down.stdout, /^REMOVED: vp-test-onboard$/m);
  t.match(down.stdout, /kept {5}platform-obs .*`docker compose --project-name platform-obs down --volumes`/);
  const left = (await standing()).filter((line) => !/platform-obs/.test(line));
  t.same(
    left,
    before.standing.filter((line) => !/platform-obs/.test(line)),
  );
  t.same(files(), before.files);
  t.equal(readFileSync(at('target/compose.yaml'), 'utf8'), composeFile);
  t.equal((await fetch('http://127.0.0.1:23772/api/health')).status, 200, 'the target keeps running');
  t.match(await vp(['instances', '--control-plane', url, '--json']), { code: 0, stdout: /\[\]/ });
  t.ok(existsSync(data(`transcripts/${instance}.log`)));

  const again = await vp(['teardown', ...common, '--no-sign-in']);
  t.match(again, { code: 0, stdout: /nothing was left to remove/ });
});

t.test('a second instance beside the first; repairs; what is short; and what is refused', async (t) => {
  const first = await vp(onboarding);
  t.equal(first.code, 0, `${first.stdout}${first.stderr}`);

  await docker('rm', '--force', 'platform-router', `platform-inst-${instance}-executor-1`);
  const repaired = await vp([...onboarding, '--json']);
  t.equal(repaired.code, 0, repaired.stderr);
  const acted = repaired.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ outcome }) => outcome === 'done')
    .map(({ step }) => step);
  t.same(acted, ['router', 'instance'], 'only what was missing');

  writeFileSync(at('product/.env'), `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=wrongPassword1234\n`);
  const short = await vp(onboarding);
  t.equal(short.code, 1);
  t.match(short.stdout, /^PARTIALLY SET: the database was not read: .*signing_reader/m);
  writeFileSync(at('product/.env'), `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=${secrets.reader}\n`);
  t.match(await vp(onboarding), { code: 0, stdout: /^ALL SET$/m });

  // Another pair of folders, the same id and a kit of its own: the id is taken, so the next one is proposed.
  cpSync(at('product'), at('product-2'), { recursive: true });
  cpSync(at('test'), at('test-2'), { recursive: true });
  for (const folder of ['product-2', 'test-2'])
    for (const name of ['.mcp.json', '.claude']) rmSync(at(`${folder}/${name}`), { recursive: true, force: true });
  const more = [
    'onboard',
    ...common,
    '--product-dir',
    'product-2',
    '--test-dir',
    'test-2',
    '--image',
    image,
    '--kit',
    'kit-2',
  ];
  const second = await vp(more);
  t.equal(second.code, 0, `${second.stdout}${second.stderr}`);
  t.match(second.stdout, new RegExp(`the instance id ${instance} is taken: going on as ${instance}-v1`));
  t.match(second.stdout, new RegExp(`instance +${instance}-v1, executor REGISTERED, 127\\.0\\.0\\.1:8766`));
  const kitted = await vp([
    'onboard',
    '--kit',
    'kit-2',
    '--instance-id',
    'another',
    '--control-plane',
    url,
    '--product-dir',
    'product-2',
    '--test-dir',
    'test-2',
    '--image',
    image,
  ]);
  t.match(kitted, { code: 2, stderr: /KIT_SERVES_ANOTHER/ });

  const down = await vp(['teardown', '--instance-id', `${instance}-v1`, '--control-plane', url]);
  t.match(down, { code: 0, stdout: /kept {5}platform-router and platform-obs: they serve/ });
  t.notOk(existsSync(at('kit-2')), 'the kit elsewhere was found by itself');
  t.match(await docker('ps', '--format', '{{.Names}}'), /^platform-router$/m);

  const slim = await vp([...onboarding.slice(0, -1), 'vp:slim']);
  t.match(slim, { code: 2, stderr: /IMAGE_TAG_REFUSED/ });
  const registry = createServer((_, answer) => answer.writeHead(403).end('{}'));
  await new Promise<void>((ready) => registry.listen(0, '127.0.0.1', ready));
  t.teardown(() => registry.close());
  const denied = await vp([...onboarding.slice(0, -1), `127.0.0.1:${portOf(registry)}/vp:v0.4.0-slim`]);
  t.match(denied, { code: 3, stderr: /IMAGE_FORBIDDEN/ });

  await stop();
  const away = await vp(['teardown', ...common, '--no-sign-in']);
  t.equal(away.code, 1);
  t.match(away.stdout, /PARTIALLY REMOVED.*\n.*remain: .*\n.*vp teardown --tier compose --instance-id vp-test-onboard/);
  t.same(
    (await standing()).filter((line) => /platform-(inst|router)/.test(line)),
    [],
  );
  stop = await own.startControlPlane(program, port);
  t.match(await vp(['teardown', ...common, '--no-sign-in']), { code: 0, stdout: /^REMOVED/m });
  t.notOk(existsSync(data('kits')));
});

t.test('an interruption leaves what the next run goes on from', async (t) => {
  const child = spawn(program, onboarding, { env: variables, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  const told: string[] = [];
  let isSent = false;
  child.stderr.on('data', (chunk) => told.push(String(chunk)));
  child.stdout.on('data', (chunk) => {
    told.push(String(chunk));
    if (isSent || !/registration at the control plane/.test(told.join(''))) return;
    isSent = child.kill('SIGINT');
  });
  // `close`, not `exit`: what it said last has then arrived.
  const [code] = await once(child, 'close');
  t.equal(code, 130, told.join(''));
  t.match(told.join(''), /interrupted: .*run the same command again, and it goes on from there\n/);
  t.match(told.join(''), /the transcript writer was already gone and the transcript may be short/);
  t.match(await vp(onboarding), { code: 0, stdout: /^ALL SET$/m });
  t.match(await vp(['teardown', ...common]), { code: 0 });
});

t.test('Ctrl-C again on a terminal ends at once, and the next run goes on all the same', async (t) => {
  const line = [program, ...onboarding].map((word) => `'${word}'`).join(' ');
  const { type, told, ended } = own.onTerminal(line);
  const begun = /› executor and log reader/;
  for (let tries = 0; tries < 1200 && !begun.test(told()); tries += 1) await pause(50);
  type('\u0003');
  for (let tries = 0; tries < 100 && !/Ctrl-C again ends at once/.test(told()); tries += 1) await pause(10);
  t.match(told(), /interrupted: ending the step in hand; Ctrl-C again ends at once/);
  await pause(350); // Two within 300 ms are one.
  const pressedMs = Date.now();
  type('\u0003');
  t.equal((await ended).code, 130);
  t.ok(Date.now() - pressedMs < 1500, `${Date.now() - pressedMs} ms`);
  t.match(await vp(onboarding), { code: 0, stdout: /^ALL SET$/m });
  t.match(await vp(['teardown', ...common]), { code: 0 });
});
