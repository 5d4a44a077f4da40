/**
 * From the image alone, as a person would: the kit, a sign-in in the browser part-way, runs by hand and by an agent, the
 * dashboard, a second instance beside the first, and all of it gone again. Length: one machine, one story.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openChromium } from '../browser/chromium.ts';
import { evidenceScenario } from './instance-runs.ts';
import { type Called, image, machine } from './machine.ts';

const name = 'vp-test-kit';
const [first, second] = [name, `${name}-two`];
const port = 23_781;
const url = `http://127.0.0.1:${port}`;
const ana = { name: 'Ana Lopes', email: 'ana@example.com', password: 'seven brown otters swim' };
const ben = { name: 'Ben Okoro', email: 'ben@example.com', password: 'a quiet lake of stones' };

const own = machine({
  ...{ name, appPort: 23_782 },
  // The desktop's way to open a page: it is noted, and Chromium goes there.
  variables: { DISPLAY: ':77', TERM: 'xterm-256color' },
  passOver:
    /^\.local\/share\/vp\/(control\.|\w+\.db|executors|transcripts|\w+\.key$|setup-link)|^(\.cache|\.config\/vp\/credentials\/|opened$|bin)/,
});
const { at, call, docker, files, home, standing } = own;
const data = (file: string): string => at(`.local/share/vp/${file}`);
const variables = { ...own.variables, PATH: `${at('bin')}:${own.variables.PATH}` };
const vp = (words: readonly string[], env: Record<string, string> = {}): Promise<Called> =>
  call(at('bin/vp'), words, { PATH: variables.PATH, ...env });

const browser = await openChromium();
const contexts: Page[] = [];
let stop = async (): Promise<void> => undefined;

/** A browser of somebody of their own. */
async function somebody(): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  contexts.push(page);
  return page;
}

/** Asks the control plane as whoever is signed in on the page. */
function asked(page: Page, path: string, body: object): Promise<Record<string, unknown>> {
  return page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json', 'x-vp-proof': localStorage.getItem('vp.proof') ?? '' };
      return (await fetch(`/api/v1/${path}`, { method: 'POST', headers, body })).json();
    },
    [path, JSON.stringify(body)] as const,
  );
}

async function firstOwner(): Promise<Page> {
  await vp(['setup-link']);
  const page = await somebody();
  await page.goto(readFileSync(data('setup-link.txt'), 'utf8').trim());
  await page.getByLabel('Your name').fill(ana.name);
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Make the first owner' }).click();
  await page.getByLabel(`Account: ${ana.name}`).waitFor();
  return page;
}

/** An API key of somebody who was invited. */
async function keyOfBen(owner: Page): Promise<string> {
  await owner.goto('/');
  const invited = await asked(owner, 'invitations', { role: 'owner' });
  const page = await somebody();
  await page.goto(String(invited.url));
  await page.getByLabel('Your name').fill(ben.name);
  await page.getByLabel('Email').fill(ben.email);
  await page.getByLabel('Password').fill(ben.password);
  await page.getByRole('button', { name: 'Make my account' }).click();
  await page.getByLabel(`Account: ${ben.name}`).waitFor();
  return String((await asked(page, 'api-keys', { name: 'author', role: 'owner' })).key);
}

async function isTaken(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return taken;
}

async function portsTaken(): Promise<number[]> {
  const ports = [3000, 9095, 9765, 8765, 8766];
  const taken = await Promise.all(ports.map(isTaken));
  return ports.filter((_, index) => taken[index]);
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');
const common = (id: string): string[] => ['--tier', 'compose', '--instance-id', id, '--control-plane', url];
const whole = (id: string, end = ''): string[] => [
  ...common(id),
  ...['--product-dir', `product${end}`, '--test-dir', `test${end}`, '--image', image],
];
const seconds = (sinceMs: number): string => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

t.jobs = 1;
let isWhole = true;

/** A test that needs all before it to have come to its end. */
function chapter(name: string, play: (t: Test) => Promise<void>): void {
  t.test(name, async (t) => {
    if (!isWhole) throw new Error('what comes before it did not end');
    isWhole = false;
    await play(t);
    isWhole = true;
  });
}

let owner: Page;
let before: { standing: string[]; ports: number[]; files: string[] };

t.teardown(async () => {
  await browser.close();
  await stop();
  await own.clear();
  own.removeHome();
});

chapter('the image writes the kit, and the program of the kit is the whole product', async (t) => {
  await own.clear();
  mkdirSync(at('kit'));
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  const init = await docker('run', '--rm', '--user', user, '--volume', `${at('kit')}:/out`, image, 'init');
  t.match(init, /created {2}onboarding\/onboard\.sh\n.*created {2}bin\/vp/s);
  cpSync(at('kit/bin'), at('bin'), { recursive: true });
  writeFileSync(at('bin/xdg-open'), '#!/bin/sh\nprintf "%s\\n" "$1" >> "$HOME/opened"\n');
  chmodSync(at('bin/xdg-open'), 0o755);
  await own.startTarget();
  own.writeFolders();
  own.writeFolders('-two');
  stop = await own.startControlPlane(at('bin/vp'), port);
  owner = await firstOwner();
  t.match(
    await vp(['instances', '--control-plane', url]),
    { code: 2, stderr: /CREDENTIAL_/ },
    'no credential is kept, and the owner key is over',
  );
  before = { standing: await standing(), ports: await portsTaken(), files: files() };
  t.same(before.ports, []);
});

chapter('the script asks for one sign-in in the browser and ends with ALL SET', async (t) => {
  const startMs = Date.now();
  const { ended } = own.onTerminal(`bash kit/onboarding/onboard.sh ${quoted(whole(first))}`, variables);
  while (!existsSync(at('opened'))) {
    if (Date.now() - startMs > 60_000) throw new Error((await ended).stdout);
    await pause(50);
  }
  await pause(100);
  await owner.goto(readFileSync(at('opened'), 'utf8').trim());
  await owner.getByRole('heading', { name: 'Allow vp on the command line?' }).waitFor();
  await owner.getByRole('button', { name: 'Allow' }).click();
  const { code, stdout } = await ended;
  t.comment(`onboard to headline, images present, with the sign-in: ${seconds(startMs)}`);
  t.equal(code, 0, stdout);
  t.match(stdout, /^ALL SET$/m);
  for (const line of [
    `control plane  ${url}`,
    'dashboard      http://127.0.0.1:3000 (up)',
    `instance       ${first}, executor REGISTERED, 127.0.0.1:8765`,
    'scenarios      imported 4 of 4',
    'test agent     16 tools',
    'product agent  6 tools',
  ])
    t.ok(stdout.includes(line), line);
  const againMs = Date.now();
  const again = await vp(['onboard', '--kit', 'kit', ...whole(first)]);
  t.comment(`onboard again, nothing to do: ${seconds(againMs)}`);
  t.match(again, { code: 0, stdout: /Nothing was to do\./ });
});

chapter('four scenarios by hand, and one by an agent, whose report has log and database', async (t) => {
  t.match(await vp(['run', '--instance', first, '--control-plane', url, 'test']), {
    code: 0,
    stdout: /4 runs: 4 passed/,
  });
  const { mcpServers } = JSON.parse(readFileSync(at('test/.mcp.json'), 'utf8'));
  const { url: address, headers } = mcpServers[`vp-${first}`];
  t.equal(new URL(address).host, '127.0.0.1:9765');
  const agent = new Client({ name: 'a-test-agent', version: '1' });
  t.teardown(() => agent.close());
  await agent.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  t.equal((await agent.listTools()).tools.length, 16);
  const call = async (tool: string, words: Record<string, unknown>) => {
    const answer = await agent.callTool({ name: `author__${tool}`, arguments: words }, { timeout: 90_000 });
    t.notOk(answer.isError, tool);
    return answer;
  };
  const requested = await call('request_run', { text: evidenceScenario() });
  const run = /Run (\S+) of/.exec(JSON.stringify(requested.content))?.[1] ?? '';
  const status = await call('get_run_status', { run_id: run, wait_s: 60 });
  t.match(JSON.stringify(status.content), /passed/);
  const shown = JSON.parse((await vp(['runs', 'show', run, '--control-plane', url, '--json'])).stdout);
  t.match(shown, { state: 'passed', report: { log: { problem: null }, queries: [{ row_count: 1, problem: null }] } });
  t.ok(shown.report.log.line_count >= 1);
});

chapter('doctor finds nothing wrong, and the dashboard has the runs', async (t) => {
  const folders = ['--test-dir', 'test', '--product-dir', 'product'];
  const doctor = await vp(['doctor', ...folders, '--instance', first, '--control-plane', url]);
  t.equal(doctor.code, 0, `${doctor.stdout}${doctor.stderr}`);
  const page = await somebody();
  await page.goto('http://127.0.0.1:3000/');
  const region = page.getByRole('region', { name: first, exact: true });
  // Six runs: the proof of onboarding, four by hand, one by the agent.
  await region.getByText(/\b6 runs\b/).waitFor({ timeout: 120_000 });
  t.match(await region.innerText(), /connected\s+6 runs\s+100 % passed/);
});

chapter('the second instance: not ready, and why; then an author’s token brings the scenarios', async (t) => {
  const token = await keyOfBen(owner);
  /** Does something as soon as the instance is registered. */
  async function onboardingAnd(onRegistered: () => unknown, env: Record<string, string> = {}): Promise<Called> {
    const words = ['onboard', ...whole(second, '-two')];
    const child = spawn(at('bin/vp'), words, { env: { ...variables, ...env }, cwd: home });
    const told: string[] = [];
    child.stderr.on('data', (chunk) => told.push(String(chunk)));
    child.stdout.on('data', (chunk) => {
      const before = told.join('');
      told.push(String(chunk));
      const registered = /✓.*registration at the control plane/;
      if (registered.test(told.join('')) && !registered.test(before)) onRegistered();
    });
    const [code] = await once(child, 'close');
    return { code, stdout: told.join('').replaceAll(/\s+/g, ' '), stderr: '' };
  }
  const sentence =
    `the instance ${second} is registered but something was not ready: ` +
    'do not tear down; wait a few minutes and check Settings → Environments';
  const away = await onboardingAnd(() => stop());
  t.equal(away.code, 3, away.stdout);
  t.match(
    away.stdout,
    /is registered but something was not ready: the control plane .* cannot be reached: .*INSTANCE_NOT_READY/,
  );
  t.match(away.stdout, /do not tear down; wait a few minutes and check Settings → Environments/);
  stop = await own.startControlPlane(at('bin/vp'), port);

  // The executor's way is shut: whoever is not the folder's user cannot pass.
  const shut = await onboardingAnd(() => chmodSync(data('executors'), 0o700), { PLATFORM_AUTHOR_TOKEN: 'vpk_wrong' });
  t.equal(shut.code, 3, shut.stdout);
  t.ok(shut.stdout.includes(sentence), shut.stdout);
  t.match(shut.stdout, /imported 0 of 4: PLATFORM_AUTHOR_TOKEN is refused/);
  t.equal(shut.stdout.split('PLATFORM_AUTHOR_TOKEN is deprecated').length, 2, 'told once');
  chmodSync(data('executors'), 0o755);
  const startMs = Date.now();
  const again = await vp(['onboard', ...whole(second, '-two')], { PLATFORM_AUTHOR_TOKEN: token });
  t.comment(`onboard again, after the way was mended: ${seconds(startMs)}`);
  t.match(again, {
    code: 0,
    stdout: new RegExp(`^ALL SET$[^]*${second}, executor REGISTERED, 127\\.0\\.0\\.1:8766`, 'm'),
  });
  t.notOk(again.stdout.includes(token));
  const listed = await vp(['scenarios', 'list', '--instance', second, '--control-plane', url, '--json']);
  const by = JSON.parse(listed.stdout).scenarios.map((entry: { updated_by: string }) => entry.updated_by);
  t.same(new Set(by), new Set([ben.name]));
});

chapter('both are torn down: nothing is left but platform-obs, which its printed command removes', async (t) => {
  const startMs = Date.now();
  const one = await call('bash', ['kit/onboarding/teardown.sh', ...common(first), '--no-sign-in']);
  t.comment(`teardown of one of two: ${seconds(startMs)}`);
  t.match(one, { code: 0, stdout: new RegExp(`^REMOVED: ${first}$`, 'm') });
  t.match(one.stdout, new RegExp(`kept {5}platform-router and platform-obs: they serve ${second}`));
  t.notOk(existsSync(at('kit')));
  const lastMs = Date.now();
  const last = await vp(['teardown', ...common(second), '--no-sign-in']);
  t.comment(`teardown of the last: ${seconds(lastMs)}`);
  t.match(last, { code: 0, stdout: new RegExp(`^REMOVED: ${second}$`, 'm') });
  t.equal((await fetch('http://127.0.0.1:23782/api/health')).status, 200, 'the target keeps running');

  const kitless = before.files.filter((file) => !/^kit(\/|$)/.test(file));
  t.match(await vp(['logout', '--control-plane', url]), { code: 0 });
  t.same(files(), kitless, 'files');
  t.same(
    (await standing()).filter((line) => !/platform-obs/.test(line)),
    before.standing,
  );
  t.same(await portsTaken(), [3000, 9095]);
  const [, command = ''] = /kept {5}platform-obs .*`([^`]+)`/.exec(last.stdout) ?? [];
  t.match(command, /^docker compose /);
  const removed = await call('sh', ['-c', command]);
  t.equal(removed.code, 0, removed.stderr);
  t.same(await standing(), before.standing);
  t.same(await portsTaken(), []);
  rmSync(data('transcripts'), { recursive: true });
});

t.setTimeout(600_000);
