/**
 * From the image alone, as a user would: the kit, a sign-in in the browser part-way, runs by hand and by an agent, the
 * dashboard, a second instance beside the first, and the teardown of everything. Length: one machine, one sequence of chapters.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openChromium } from '../browser/chromium.ts';
import { eventually } from '../eventually.ts';
import { evidenceScenario } from './instance-runs.ts';
import { type CommandOutcome, createTestMachine, image } from './test-machine.ts';

const name = 'vp-test-kit';
const [firstInstance, secondInstance] = [name, `${name}-two`];
const port = 23_781;
const url = `http://127.0.0.1:${port}`;
const ana = { name: 'Ana Lopes', email: 'ana@example.com', password: 'seven brown otters swim' };
const ben = { name: 'Ben Okoro', email: 'ben@example.com', password: 'a quiet lake of stones' };

const testMachine = createTestMachine({
  ...{ name, appPort: 23_782 },
  // The desktop's opener is replaced by a script that records the page, which Chromium then opens.
  variables: { DISPLAY: ':77', TERM: 'xterm-256color' },
  ignoredFiles:
    /^\.local\/share\/vp\/(control\.|\w+\.db|executors|transcripts|\w+\.key$|setup-link)|^(\.cache|\.config\/vp\/credentials\/|opened$|bin)/,
});
const { pathTo, call, docker, files, home, standing } = testMachine;
const data = (file: string): string => pathTo(`.local/share/vp/${file}`);
const variables = { ...testMachine.variables, PATH: `${pathTo('bin')}:${testMachine.variables.PATH}` };
const vp = (args: readonly string[], env: Record<string, string> = {}): Promise<CommandOutcome> =>
  call(pathTo('bin/vp'), args, { PATH: variables.PATH, ...env });

const browser = await openChromium();
const contexts: Page[] = [];
let stop = async (): Promise<void> => undefined;

/** A page in a browser context of its own. */
async function openPage(): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  contexts.push(page);
  return page;
}

/** Calls the API as the user who is signed in on the page. */
function postAsPerson(page: Page, path: string, body: object): Promise<Record<string, unknown>> {
  return page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json', 'x-vp-proof': localStorage.getItem('vp.proof') ?? '' };
      return (await fetch(`/api/v1/${path}`, { method: 'POST', headers, body })).json();
    },
    [path, JSON.stringify(body)] as const,
  );
}

async function createFirstOwner(): Promise<Page> {
  await vp(['setup-link']);
  const page = await openPage();
  await page.goto(readFileSync(data('setup-link.txt'), 'utf8').trim());
  await page.getByLabel('Your name').fill(ana.name);
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Create the first owner' }).click();
  await page.getByLabel(`Account: ${ana.name}`).waitFor();
  return page;
}

/** An API key of an invited user. */
async function createKeyForBen(owner: Page): Promise<string> {
  await owner.goto('/');
  const invited = await postAsPerson(owner, 'invitations', { role: 'owner' });
  const page = await openPage();
  await page.goto(String(invited.url));
  await page.getByLabel('Your name').fill(ben.name);
  await page.getByLabel('Email').fill(ben.email);
  await page.getByLabel('Password').fill(ben.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel(`Account: ${ben.name}`).waitFor();
  return String((await postAsPerson(page, 'api-keys', { name: 'author', role: 'owner' })).key);
}

async function isPortTaken(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

async function listTakenPorts(): Promise<number[]> {
  const ports = [3000, 9095, 9765, 8765, 8766];
  const takenFlags = await Promise.all(ports.map(isPortTaken));
  return ports.filter((_, index) => takenFlags[index]);
}

const quoteArgs = (args: readonly string[]): string => args.map((word) => `'${word}'`).join(' ');
const commonArgs = (id: string): string[] => ['--tier', 'compose', '--instance-id', id, '--control-plane', url];
const onboardArgs = (id: string, suffix = ''): string[] => [
  ...commonArgs(id),
  ...['--product-dir', `product${suffix}`, '--test-dir', `test${suffix}`, '--image', image],
];
const formatSeconds = (sinceMs: number): string => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

t.jobs = 1;
let hasPreviousEnded = true;

/** A test that requires all chapters before it to have passed. */
function testChapter(name: string, runChapter: (t: Test) => Promise<void>): void {
  t.test(name, async (t) => {
    if (!hasPreviousEnded) throw new Error('an earlier chapter failed');
    hasPreviousEnded = false;
    await runChapter(t);
    hasPreviousEnded = true;
  });
}

let owner: Page;
let before: { standing: string[]; ports: number[]; files: string[] };

t.teardown(async () => {
  await browser.close();
  await stop();
  await testMachine.clear();
  testMachine.removeHome();
});

testChapter('the image writes the kit, whose binary is the whole product', async (t) => {
  await testMachine.clear();
  mkdirSync(pathTo('kit'));
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  const init = await docker('run', '--rm', '--user', user, '--volume', `${pathTo('kit')}:/out`, image, 'init');
  t.match(init, /created {2}onboarding\/onboard\.sh\n.*created {2}bin\/vp/s);
  cpSync(pathTo('kit/bin'), pathTo('bin'), { recursive: true });
  writeFileSync(pathTo('bin/xdg-open'), '#!/bin/sh\nprintf "%s\\n" "$1" >> "$HOME/opened"\n');
  chmodSync(pathTo('bin/xdg-open'), 0o755);
  await testMachine.startTarget();
  testMachine.writeFolders();
  testMachine.writeFolders('-two');
  stop = await testMachine.startControlPlane(pathTo('bin/vp'), port);
  owner = await createFirstOwner();
  t.match(
    await vp(['instances', '--control-plane', url]),
    { code: 2, stderr: /CREDENTIAL_/ },
    'no credential is kept, and the owner key is over',
  );
  before = { standing: await standing(), ports: await listTakenPorts(), files: files() };
  t.same(before.ports, []);
});

testChapter('the script asks for one sign-in in the browser and ends with ALL SET', async (t) => {
  const startMs = Date.now();
  const { ended } = testMachine.onTerminal(
    `bash kit/onboarding/onboard.sh ${quoteArgs(onboardArgs(firstInstance))}`,
    variables,
  );
  const readOpenedUrl = () => /^http\S+(?=\n)/.exec(readFileSync(pathTo('opened'), 'utf8'))?.[0];
  const openedUrl = await eventually(readOpenedUrl, { timeoutMs: 60_000, description: 'the browser was opened' });
  await owner.goto(openedUrl);
  await owner.getByRole('heading', { name: 'Allow vp on the command line?' }).waitFor();
  await owner.getByRole('button', { name: 'Allow' }).click();
  const { code, stdout } = await ended;
  t.comment(`onboard to headline, images present, with the sign-in: ${formatSeconds(startMs)}`);
  t.equal(code, 0, stdout);
  t.match(stdout, /^ALL SET$/m);
  for (const line of [
    `control plane  ${url}`,
    'dashboard      http://127.0.0.1:3000 (up)',
    `instance       ${firstInstance}, executor REGISTERED, 127.0.0.1:8765`,
    'scenarios      imported 4 of 4',
    'test agent     16 tools',
    'product agent  6 tools',
  ])
    t.ok(stdout.includes(line), line);
  const againMs = Date.now();
  const again = await vp(['onboard', '--kit', 'kit', ...onboardArgs(firstInstance)]);
  t.comment(`onboard again, nothing to do: ${formatSeconds(againMs)}`);
  t.match(again, { code: 0, stdout: /Nothing to do\./ });
});

testChapter('four scenarios by hand, and one by an agent, whose report has log and database', async (t) => {
  t.match(await vp(['run', '--instance', firstInstance, '--control-plane', url, 'test']), {
    code: 0,
    stdout: /4 runs: 4 passed/,
  });
  const { mcpServers } = JSON.parse(readFileSync(pathTo('test/.mcp.json'), 'utf8'));
  const { url: address, headers } = mcpServers[`vp-${firstInstance}`];
  t.equal(new URL(address).host, '127.0.0.1:9765');
  const agent = new Client({ name: 'a-test-agent', version: '1' });
  t.teardown(() => agent.close());
  await agent.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  t.equal((await agent.listTools()).tools.length, 16);
  const call = async (tool: string, args: Record<string, unknown>) => {
    const result = await agent.callTool({ name: `author__${tool}`, arguments: args }, { timeout: 90_000 });
    t.notOk(result.isError, tool);
    return result;
  };
  const requested = await call('request_run', { text: evidenceScenario() });
  const run = /Run (\S+) of/.exec(JSON.stringify(requested.content))?.[1] ?? '';
  const status = await call('get_run_status', { run_id: run, wait_s: 60 });
  t.match(JSON.stringify(status.content), /passed/);
  const runDocument = JSON.parse((await vp(['runs', 'show', run, '--control-plane', url, '--json'])).stdout);
  t.match(runDocument, {
    state: 'passed',
    report: { log: { problem: null }, queries: [{ row_count: 1, problem: null }] },
  });
  t.ok(runDocument.report.log.line_count >= 1);
});

testChapter('doctor finds no problem, and the dashboard has the runs', async (t) => {
  const folders = ['--test-dir', 'test', '--product-dir', 'product'];
  const doctor = await vp(['doctor', ...folders, '--instance', firstInstance, '--control-plane', url]);
  t.equal(doctor.code, 0, `${doctor.stdout}${doctor.stderr}`);
  const page = await openPage();
  await page.goto('http://127.0.0.1:3000/');
  const region = page.getByRole('region', { name: firstInstance, exact: true });
  // Four by hand, one by the agent; the proof of onboarding is a probe and no run.
  const text = await eventually(() => region.innerText({ timeout: 60_000 }), {
    timeoutMs: 120_000,
    until: (value) => /\b5 runs\b/.test(value),
    description: 'the dashboard shows 5 runs',
  });
  t.match(text, /connected\s+5 runs\s+100 % passed/);
});

testChapter(
  'the second instance is not ready, with reasons; then an author’s token imports the scenarios',
  async (t) => {
    const token = await createKeyForBen(owner);
    /** Onboards and calls `onRegistered` as soon as the instance is registered. */
    async function onboardAndThen(
      onRegistered: () => unknown,
      env: Record<string, string> = {},
    ): Promise<CommandOutcome> {
      const args = ['onboard', ...onboardArgs(secondInstance, '-two')];
      const child = spawn(pathTo('bin/vp'), args, { env: { ...variables, ...env }, cwd: home });
      const output: string[] = [];
      child.stderr.on('data', (chunk) => output.push(String(chunk)));
      child.stdout.on('data', (chunk) => {
        const before = output.join('');
        output.push(String(chunk));
        const registered = /✓.*registration at the control plane/;
        if (registered.test(output.join('')) && !registered.test(before)) onRegistered();
      });
      const [code] = await once(child, 'close');
      return { code, stdout: output.join('').replaceAll(/\s+/g, ' '), stderr: '' };
    }
    const sentence =
      `the instance ${secondInstance} is registered but something was not ready: ` +
      'do not tear down; wait a few minutes and check Settings → Environments';
    const unreachable = await onboardAndThen(() => stop());
    t.equal(unreachable.code, 3, unreachable.stdout);
    t.match(
      unreachable.stdout,
      /is registered but something was not ready: the control plane .* cannot be reached: .*INSTANCE_NOT_READY/,
    );
    t.match(unreachable.stdout, /do not tear down; wait a few minutes and check Settings → Environments/);
    stop = await testMachine.startControlPlane(pathTo('bin/vp'), port);

    // The executor's endpoint is blocked: only the user of the folder can access it.
    const blocked = await onboardAndThen(() => chmodSync(data('executors'), 0o700), {
      PLATFORM_AUTHOR_TOKEN: 'vpk_wrong',
    });
    t.equal(blocked.code, 3, blocked.stdout);
    t.ok(blocked.stdout.includes(sentence), blocked.stdout);
    t.match(blocked.stdout, /imported 0 of 4: PLATFORM_AUTHOR_TOKEN is refused/);
    t.equal(blocked.stdout.split('PLATFORM_AUTHOR_TOKEN is deprecated').length, 2, 'reported once');
    chmodSync(data('executors'), 0o755);
    const startMs = Date.now();
    const again = await vp(['onboard', ...onboardArgs(secondInstance, '-two')], { PLATFORM_AUTHOR_TOKEN: token });
    t.comment(`onboard again, after the access was restored: ${formatSeconds(startMs)}`);
    t.match(again, {
      code: 0,
      stdout: new RegExp(`^ALL SET$[^]*${secondInstance}, executor REGISTERED, 127\\.0\\.0\\.1:8766`, 'm'),
    });
    t.notOk(again.stdout.includes(token));
    const listed = await vp(['scenarios', 'list', '--instance', secondInstance, '--control-plane', url, '--json']);
    const authors = JSON.parse(listed.stdout).scenarios.map((entry: { updated_by: string }) => entry.updated_by);
    t.same(new Set(authors), new Set([ben.name]));
  },
);

testChapter('both are torn down: only platform-obs is left, which the printed command removes', async (t) => {
  const startMs = Date.now();
  const firstTeardown = await call('bash', [
    'kit/onboarding/teardown.sh',
    ...commonArgs(firstInstance),
    '--no-sign-in',
  ]);
  t.comment(`teardown of one of two: ${formatSeconds(startMs)}`);
  t.match(firstTeardown, { code: 0, stdout: new RegExp(`^REMOVED: ${firstInstance}$`, 'm') });
  t.match(firstTeardown.stdout, new RegExp(`kept {5}platform-router and platform-obs: they serve ${secondInstance}`));
  t.notOk(existsSync(pathTo('kit')));
  const lastMs = Date.now();
  const lastTeardown = await vp(['teardown', ...commonArgs(secondInstance), '--no-sign-in']);
  t.comment(`teardown of the last: ${formatSeconds(lastMs)}`);
  t.match(lastTeardown, { code: 0, stdout: new RegExp(`^REMOVED: ${secondInstance}$`, 'm') });
  t.equal((await fetch('http://127.0.0.1:23782/api/health')).status, 200, 'the target keeps running');

  const filesWithoutKit = before.files.filter((file) => !/^kit(\/|$)/.test(file));
  t.match(await vp(['logout', '--control-plane', url]), { code: 0 });
  t.same(
    files().filter((file) => !/^product(-two)?\/\.gitignore$/.test(file)),
    filesWithoutKit,
    'files; the line that keeps .env out of git stays',
  );
  t.same(
    (await standing()).filter((line) => !/platform-obs/.test(line)),
    before.standing,
  );
  t.same(await listTakenPorts(), [3000, 9095]);
  const [, command = ''] = /kept {5}platform-obs .*`([^`]+)`/.exec(lastTeardown.stdout) ?? [];
  t.match(command, /^docker compose /);
  const removed = await call('sh', ['-c', command]);
  t.equal(removed.code, 0, removed.stderr);
  t.same(await standing(), before.standing);
  t.same(await listTakenPorts(), []);
  rmSync(data('transcripts'), { recursive: true });
});

t.setTimeout(600_000);
