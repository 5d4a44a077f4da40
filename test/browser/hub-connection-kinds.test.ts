/** Connections of every kind, added through the console: a program of the operator, a server on HTTP with SSE, a client of one's own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { goodMcpServer, goodServer } from '../hub/hostile/good-server.ts';
import { guardedServer } from '../hub/hostile/guarded-server.ts';
import { served } from '../hub/hostile/listening.ts';
import { sseServer } from '../hub/hostile/sse-server.ts';
import { addBen, ask, ben, clipboard, createHub, createToken, privately } from './hub-visit.ts';
import { type More, visit } from './visit.ts';

const program = join(import.meta.dirname, '../hub/hostile/stdio-server.ts');

/** A control plane with two programs: one that may run here, and one that may not. */
async function withPrograms(t: Test): Promise<More> {
  const file = join(t.testdirName, 'commands.json');
  const pipe = {
    description: 'Tells of itself.',
    command: [process.execPath, program],
    variables: { GIVEN: 'hidden-value' },
  };
  writeFileSync(file, JSON.stringify({ commands: { pipe, boxed: { image: 'example/boxed:1', command: ['serve'] } } }));
  return { args: ['--hub-commands', file, '--unsafe-stdio'] };
}

/** The form, open. */
async function newConnection(page: Page, kind?: string) {
  await page.goto('/hubs/acme/connections');
  await page.getByRole('button', { name: 'Add connection…' }).click();
  const dialog = page.getByRole('dialog');
  if (kind !== undefined) await dialog.getByLabel('Connect', { exact: true }).selectOption(kind);
  return dialog;
}

visit(
  'a program of the operator is chosen from those there are; other owners of the hub only read them',
  async (t, visit) => {
    const page = await visit.owner(clipboard);
    const other = await ben(page, visit);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const dialog = await newConnection(page, 'stdio');
    const look = dialog.getByRole('button', { name: 'See what it offers' });
    await dialog.getByText('image example/boxed:1, in a container without a network').waitFor();
    await dialog.getByText('as the user of the control plane, unconfined').waitFor();
    await dialog.getByText(/commands\.json/).waitFor();
    t.ok(await look.isDisabled(), 'nothing is chosen yet');
    await dialog.getByRole('radio', { name: /pipe Tells of itself/ }).check();
    await look.click();
    await dialog.getByText('environment', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('region', { name: 'pipe' });
    await card.getByRole('button', { name: 'Check now' }).click();
    await card.getByText('3 tools').waitFor();
    t.match(await ask(visit.url, token, 'tools/call', { name: 'pipe__pid', arguments: {} }), /"text":"\d+"/);
    await card.getByRole('button', { name: 'Edit…' }).click();
    t.ok(await dialog.getByRole('radio', { name: /pipe/ }).isChecked());
    t.notMatch(await page.content(), /hidden-value|GIVEN/, 'no page tells what it is started with');
    await addBen(page, 'owner');
    const theirs = await newConnection(other, 'stdio');
    await theirs.getByText('Owners of the control plane connect them').waitFor();
    await theirs.getByText('Tells of itself.').waitFor();
    await theirs.getByText('runs in a container without a network').waitFor();
    t.equal(await theirs.getByText('example/boxed').count(), 0, 'so is what runs on the machine');
    t.equal(await theirs.getByRole('radio').count(), 0);
    t.equal(await theirs.getByText(/commands\.json/).count(), 0, 'where the file is, is for the operator');
    t.ok(await theirs.getByRole('button', { name: 'See what it offers' }).isDisabled());
  },
  withPrograms,
);

visit('where the operator names no program, the form says how to', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  const dialog = await newConnection(page, 'stdio');
  await dialog.getByRole('heading', { name: 'The operator offers no program' }).waitFor();
  await dialog.getByText('vp serve --hub-commands commands.json').waitFor();
  await dialog.getByText('"image": "mcp/handbook:1"').waitFor();
  t.ok(await dialog.getByRole('button', { name: 'See what it offers' }).isDisabled());
});

visit(
  'a server on HTTP with SSE is added, with a header that is shown to it alone',
  async (t, { owner, url }) => {
    const good = goodServer('older');
    const older = sseServer(() => goodMcpServer(good, 'older'));
    const upstream = await served(t, older.answer);
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const dialog = await newConnection(page, 'sse');
    await dialog.getByLabel('URL', { exact: true }).fill(upstream.url);
    await dialog.getByLabel('Credential').selectOption('header');
    await dialog.getByLabel('Value', { exact: true }).fill('Bearer of-the-team');
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByText('good-older 1.0.0').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('older');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('region', { name: 'older' });
    await card.getByText('(HTTP with SSE)').waitFor();
    t.match(await ask(url, token, 'tools/call', { name: 'older__logs', arguments: {} }), /logged/);
    await card.getByRole('button', { name: 'Check now' }).click();
    await card.getByText('7 tools').waitFor();
    t.ok(older.streams > 0);
    t.ok(upstream.seen.every((headers) => headers.get('authorization') === 'Bearer of-the-team'));
    t.notMatch(await page.content(), /of-the-team/);
  },
  privately,
);

visit(
  'the hub signs in as a client that its owner was given; its secret is never shown again',
  async (t, { owner, url }) => {
    const client_secret = 'a secret that was given by hand';
    const given = { client_id: 'given-by-hand', client_secret, redirect_uris: [`${url}/hubs/sign-in`] };
    const upstream = await guardedServer(t, { clients: [{ ...given, application_type: 'native' }] });
    const page = await owner(clipboard);
    const heard: Promise<string>[] = [];
    page.on('response', (answer) => {
      if (answer.headers()['content-type']?.includes('json')) heard.push(answer.text().catch(() => ''));
    });
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const dialog = await newConnection(page);
    await dialog.getByLabel('URL', { exact: true }).fill(upstream.mcp.url);
    await dialog.getByLabel('Credential').selectOption('oauth');
    await dialog.getByLabel('Client id').fill(given.client_id);
    await dialog.getByLabel('Client secret').fill(client_secret);
    t.equal(await dialog.getByLabel('Client secret').getAttribute('type'), 'password');
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('guarded');
    await dialog.getByRole('button', { name: 'Add and sign in' }).click();
    await page.getByText(/^Signed in at guarded\./).waitFor();
    const card = page.getByRole('region', { name: 'guarded' });
    await card.getByText('as given-by-hand with a secret').waitFor();
    t.match(await ask(url, token, 'tools/call', { name: 'guarded__logs', arguments: {} }), /logged/);
    t.equal(upstream.registrations(), 0, 'nothing is registered');
    upstream.revoke('access');
    t.match(await ask(url, token, 'tools/call', { name: 'guarded__logs', arguments: {} }), /logged/);
    t.same(upstream.grants, ['authorization_code', 'refresh_token'], 'renewed as that client');
    await card.getByRole('button', { name: 'Edit…' }).click();
    await dialog.getByLabel('Credential').selectOption('oauth');
    t.equal(await dialog.getByLabel('Client secret').inputValue(), '');
    t.notMatch(await page.content(), client_secret);
    const told = await Promise.all(heard);
    t.ok(told.some((text) => text.includes('"has_client_secret":true')));
    t.notOk(
      told.some((text) => text.includes(client_secret)),
      'no answer has it',
    );
  },
  privately,
);

t.setTimeout(240_000);
