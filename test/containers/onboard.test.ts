/**
 * Onboarding and teardown for real: an application in containers, the packed program, a control plane of its own, and the
 * machine's fixed ports. Length: one machine, set up once, for all of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import t from 'tap';
import { eventually } from '../eventually.ts';
import { getPort } from '../targets/raw-target.ts';
import { type CommandOutcome, createTestMachine, image, secrets } from './test-machine.ts';

const program = resolve('dist/vp');
const instance = 'vp-test-onboard';
const port = 23_771;
const url = `http://127.0.0.1:${port}`;
const testMachine = createTestMachine({
  ...{ name: instance, appPort: 23_772 },
  ignoredFiles: /^\.local\/share\/vp\/(control\.|\w+\.db|executors|transcripts|\w+\.key)|^\.cache/,
});
const { pathTo, call, docker, files, home, standing, variables } = testMachine;
const data = (name: string): string => pathTo(`.local/share/vp/${name}`);

const vp = (args: readonly string[], more: Record<string, string> = {}): Promise<CommandOutcome> =>
  call(program, args, more);

const commonArgs = ['--tier', 'compose', '--instance-id', instance, '--control-plane', url];
const onboardArgs = ['onboard', ...commonArgs, '--product-dir', 'product', '--test-dir', 'test', '--image', image];

let stop = async (): Promise<void> => undefined;

t.before(async () => {
  await testMachine.clear();
  await testMachine.startTarget();
  testMachine.writeFolders();
  stop = await testMachine.startControlPlane(program, port);
});

t.teardown(async () => {
  await stop();
  await testMachine.clear();
  testMachine.removeHome();
});

t.jobs = 1;

t.test('the plan lists everything and changes nothing', async (t) => {
  const before = { standing: await standing(), files: files() };
  const { code, stdout, stderr } = await vp([...onboardArgs, '--dry-run', '--json']);
  t.equal(code, 0, stderr);
  const { items } = JSON.parse(stdout);
  const plannedNames = items.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`);
  for (const name of [
    `container platform-inst-${instance}-executor-1`,
    'container platform-router',
    'network platform-obs',
  ])
    t.ok(plannedNames.includes(name), name);
  t.same({ standing: await standing(), files: files() }, before);
});

t.test('an application in containers is onboarded, used, and torn down without a trace', async (t) => {
  const before = { standing: await standing(), files: files() };
  const composeFile = readFileSync(pathTo('target/compose.yaml'), 'utf8');

  const first = await vp(onboardArgs);
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

  const second = await vp([...onboardArgs, '--json']);
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
  const { mcpServers } = JSON.parse(readFileSync(pathTo('test/.mcp.json'), 'utf8'));
  const token = mcpServers[`vp-${instance}`].headers.Authorization.slice('Bearer '.length);
  const composed = readFileSync(join(kit, 'compose/compose.yaml'), 'utf8');
  for (const secret of [...Object.values(secrets), token, readFileSync(join(kit, 'machine.key'), 'utf8').trim()])
    for (const text of [journal, transcript, composed, first.stdout, second.stdout]) t.notOk(text.includes(secret));

  const down = await vp(['teardown', ...commonArgs, '--no-sign-in']);
  t.equal(down.code, 0, `${down.stdout}${down.stderr}`);
  t.match(down.stdout, /^REMOVED: vp-test-onboard$/m);
  t.match(down.stdout, /kept {5}platform-obs .*`docker compose --project-name platform-obs down --volumes`/);
  const remaining = (await standing()).filter((line) => !/platform-obs/.test(line));
  t.same(
    remaining,
    before.standing.filter((line) => !/platform-obs/.test(line)),
  );
  t.same(
    files().filter((file) => file !== 'product/.gitignore'),
    before.files,
    'the line that keeps .env out of git stays',
  );
  t.equal(readFileSync(pathTo('target/compose.yaml'), 'utf8'), composeFile);
  t.equal((await fetch('http://127.0.0.1:23772/api/health')).status, 200, 'the target keeps running');
  t.match(await vp(['instances', '--control-plane', url, '--json']), { code: 0, stdout: /\[\]/ });
  t.ok(existsSync(data(`transcripts/${instance}.log`)));

  const again = await vp(['teardown', ...commonArgs, '--no-sign-in']);
  t.match(again, { code: 0, stdout: /nothing was left to remove/ });
});

t.test('a second instance beside the first, repairs, shortfalls and errors', async (t) => {
  const first = await vp(onboardArgs);
  t.equal(first.code, 0, `${first.stdout}${first.stderr}`);

  await docker('rm', '--force', 'platform-router', `platform-inst-${instance}-executor-1`);
  const repaired = await vp([...onboardArgs, '--json']);
  t.equal(repaired.code, 0, repaired.stderr);
  const actedSteps = repaired.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ outcome }) => outcome === 'done')
    .map(({ step }) => step);
  t.same(actedSteps, ['router', 'instance'], 'only what was missing');

  writeFileSync(pathTo('product/.env'), `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=wrongPassword1234\n`);
  const partial = await vp(onboardArgs);
  t.equal(partial.code, 1);
  t.match(partial.stdout, /^PARTIALLY SET: the database was not read: .*signing_reader/m);
  writeFileSync(pathTo('product/.env'), `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=${secrets.reader}\n`);
  t.match(await vp(onboardArgs), { code: 0, stdout: /^ALL SET$/m });

  // Another pair of folders, the same id and another kit: the id is taken, so the next one is proposed.
  cpSync(pathTo('product'), pathTo('product-2'), { recursive: true });
  cpSync(pathTo('test'), pathTo('test-2'), { recursive: true });
  for (const folder of ['product-2', 'test-2'])
    for (const name of ['.mcp.json', '.claude']) rmSync(pathTo(`${folder}/${name}`), { recursive: true, force: true });
  const more = [
    'onboard',
    ...commonArgs,
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
  t.match(second.stdout, new RegExp(`the instance id ${instance} is taken: using ${instance}-v1`));
  t.match(second.stdout, new RegExp(`instance +${instance}-v1, executor REGISTERED, 127\\.0\\.0\\.1:8766`));
  const withOtherId = await vp([
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
  t.match(withOtherId, { code: 2, stderr: /KIT_SERVES_ANOTHER/ });

  const down = await vp(['teardown', '--instance-id', `${instance}-v1`, '--control-plane', url]);
  t.match(down, { code: 0, stdout: /kept {5}platform-router and platform-obs: they serve/ });
  t.notOk(existsSync(pathTo('kit-2')), 'the kit elsewhere was found by itself');
  t.match(await docker('ps', '--format', '{{.Names}}'), /^platform-router$/m);

  const unreleased = await vp([...onboardArgs.slice(0, -1), 'vp:slim']);
  t.match(unreleased, { code: 2, stderr: /IMAGE_TAG_REFUSED/ });
  const registry = createServer((_, response) => response.writeHead(403).end('{}'));
  await new Promise<void>((ready) => registry.listen(0, '127.0.0.1', ready));
  t.teardown(() => registry.close());
  const denied = await vp([...onboardArgs.slice(0, -1), `127.0.0.1:${getPort(registry)}/vp:v0.4.0-slim`]);
  t.match(denied, { code: 3, stderr: /the registry refused the image .*INSTANCE_NOT_READY/ }, 'it is registered');

  await stop();
  const unreachable = await vp(['teardown', ...commonArgs, '--no-sign-in']);
  t.equal(unreachable.code, 1);
  t.match(
    unreachable.stdout,
    /PARTIALLY REMOVED.*\n.*remain: .*\n.*vp teardown --tier compose --instance-id vp-test-onboard/,
  );
  t.same(
    (await standing()).filter((line) => /platform-(inst|router)/.test(line)),
    [],
  );
  stop = await testMachine.startControlPlane(program, port);
  t.match(await vp(['teardown', ...commonArgs, '--no-sign-in']), { code: 0, stdout: /^REMOVED/m });
  t.notOk(existsSync(data('kits')));
});

t.test('the next run continues after an interruption', async (t) => {
  const child = spawn(program, onboardArgs, { env: variables, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  let isSent = false;
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  child.stdout.on('data', (chunk) => {
    output.push(String(chunk));
    if (isSent || !/registration at the control plane/.test(output.join(''))) return;
    isSent = child.kill('SIGINT');
  });
  // `close`, not `exit`: by then all output has arrived.
  const [code] = await once(child, 'close');
  t.equal(code, 130, output.join(''));
  t.match(output.join(''), /interrupted: .*run the same command again to continue\n/);
  t.match(output.join(''), /the transcript writer was already gone and the transcript may be short/);
  t.match(await vp(onboardArgs), { code: 0, stdout: /^ALL SET$/m });
  t.match(await vp(['teardown', ...commonArgs]), { code: 0 });
});

t.test('a second Ctrl-C on a terminal exits at once, and the next run continues', async (t) => {
  const line = [program, ...onboardArgs].map((word) => `'${word}'`).join(' ');
  const { type, readOutput, ended } = testMachine.onTerminal(line);
  const stepStarted = /› executor and log reader/;
  await eventually(readOutput, { timeoutMs: 60_000, until: (output) => stepStarted.test(output) });
  type('\u0003');
  await eventually(readOutput, { until: (output) => output.includes('press Ctrl-C again to exit at once') });
  t.match(readOutput(), /interrupted: stopping the current step; press Ctrl-C again to exit at once/);
  // Two within 300 ms are one, so it is pressed until the program has exited.
  let hasEnded = false;
  ended.finally(() => {
    hasEnded = true;
  });
  await eventually(() => {
    type('\u0003');
    return hasEnded;
  });
  t.equal((await ended).code, 130);
  t.match(await vp(onboardArgs), { code: 0, stdout: /^ALL SET$/m });
  t.match(await vp(['teardown', ...commonArgs]), { code: 0 });
});
