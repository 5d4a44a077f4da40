/** Connections of every kind, added through the console: operator commands, servers on HTTP with SSE, preregistered OAuth clients. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { startGuardedServer } from '../hub/fixtures/guarded-server.ts';
import { createReferenceMcpServer, createReferenceServer } from '../hub/fixtures/reference-server.ts';
import { createSseServer } from '../hub/fixtures/sse-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { browserTest, type ServeOptions } from './browser-test.ts';
import { addBen, allowPrivateUpstreams, callHub, clipboard, createHub, createToken, signUpBen } from './hub-steps.ts';
import { waitForCondition, waitForCount, waitForValue } from './wait-for.ts';

const stdioServerPath = join(import.meta.dirname, '../hub/fixtures/stdio-server.ts');

/** A control plane with two commands: one that can run here, and one that cannot. */
async function startWithCommands(t: Test): Promise<ServeOptions> {
  const file = join(t.testdirName, 'commands.json');
  const pipeCommand = {
    description: 'Tells of itself.',
    command: [process.execPath, stdioServerPath],
    variables: { GIVEN: 'hidden-value' },
  };
  writeFileSync(
    file,
    JSON.stringify({ commands: { pipe: pipeCommand, boxed: { image: 'example/boxed:1', command: ['serve'] } } }),
  );
  return { args: ['--hub-commands', file, '--unsafe-stdio'] };
}

async function openConnectionDialog(page: Page, kind?: string) {
  await page.goto('/hubs/acme/connections');
  await page.getByRole('button', { name: 'Add connection…' }).click();
  const dialog = page.getByRole('dialog');
  if (kind !== undefined) await dialog.getByLabel('Connect', { exact: true }).selectOption(kind);
  return dialog;
}

browserTest(
  'an operator command is chosen from a list, which other owners of the hub can only read',
  async (t, fixture) => {
    const page = await fixture.owner(clipboard);
    const other = await signUpBen(page, fixture);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const dialog = await openConnectionDialog(page, 'stdio');
    const look = dialog.getByRole('button', { name: 'See what it offers' });
    await dialog.getByText('image example/boxed:1, in a container without a network').waitFor();
    await dialog.getByText('as the user of the control plane, unconfined').waitFor();
    await dialog.getByText(/commands\.json/).waitFor();
    await waitForCondition(t, () => look.isDisabled(), 'nothing is chosen yet');
    await dialog.getByRole('radio', { name: /pipe Tells of itself/ }).check();
    await look.click();
    await dialog.getByText('environment', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('region', { name: 'pipe' });
    await card.getByRole('button', { name: 'Check now' }).click();
    await card.getByText('8 tools').waitFor();
    t.match(await callHub(fixture.url, token, 'tools/call', { name: 'pipe__pid', arguments: {} }), /"text":"\d+"/);
    await card.getByRole('button', { name: 'Edit…' }).click();
    await waitForCondition(t, () => dialog.getByRole('radio', { name: /pipe/ }).isChecked());
    t.notMatch(await page.content(), /hidden-value|GIVEN/, 'no page tells what it is started with');
    await addBen(page, 'owner');
    const otherDialog = await openConnectionDialog(other, 'stdio');
    await otherDialog.getByText('Only owners of the control plane can connect commands').waitFor();
    await otherDialog.getByText('Tells of itself.').waitFor();
    await otherDialog.getByText('runs in a container without a network').waitFor();
    await waitForCount(t, otherDialog.getByText('example/boxed'), 0, 'so is what runs on the machine');
    await waitForCount(t, otherDialog.getByRole('radio'), 0);
    await waitForCount(t, otherDialog.getByText(/commands\.json/), 0, 'where the file is, is for the operator');
    await waitForCondition(t, () => otherDialog.getByRole('button', { name: 'See what it offers' }).isDisabled());
  },
  startWithCommands,
);

browserTest('the form explains how to configure commands if there are none', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  const dialog = await openConnectionDialog(page, 'stdio');
  await dialog.getByRole('heading', { name: 'No commands available' }).waitFor();
  await dialog.getByText('vp serve --hub-commands commands.json').waitFor();
  await dialog.getByText('"image": "mcp/handbook:1"').waitFor();
  await waitForCondition(t, () => dialog.getByRole('button', { name: 'See what it offers' }).isDisabled());
});

browserTest(
  'a server on HTTP with SSE is added, with a header that only it receives',
  async (t, { owner, url }) => {
    const upstreamServer = createReferenceServer('older');
    const sseUpstream = createSseServer(() => createReferenceMcpServer(upstreamServer, 'older'));
    const upstream = await startTestServer(t, sseUpstream.handle);
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const dialog = await openConnectionDialog(page, 'sse');
    await dialog.getByLabel('URL', { exact: true }).fill(upstream.url);
    await dialog.getByLabel('Credential').selectOption('header');
    await dialog.getByLabel('Value', { exact: true }).fill('Bearer of-the-team');
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByText('good-older 1.0.0').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('older');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('region', { name: 'older' });
    await card.getByText('(HTTP with SSE)').waitFor();
    t.match(await callHub(url, token, 'tools/call', { name: 'older__logs', arguments: {} }), /logged/);
    await card.getByRole('button', { name: 'Check now' }).click();
    await card.getByText('7 tools').waitFor();
    t.ok(sseUpstream.streams > 0);
    t.ok(upstream.receivedHeaders.every((headers) => headers.get('authorization') === 'Bearer of-the-team'));
    t.notMatch(await page.content(), /of-the-team/);
  },
  allowPrivateUpstreams,
);

browserTest(
  'the hub signs in as a preregistered client, whose secret is never displayed again',
  async (t, { owner, url }) => {
    const clientSecret = 'a secret that was given by hand';
    const clientRegistration = {
      client_id: 'given-by-hand',
      client_secret: clientSecret,
      redirect_uris: [`${url}/hubs/sign-in`],
    };
    const upstream = await startGuardedServer(t, { clients: [{ ...clientRegistration, application_type: 'native' }] });
    const page = await owner(clipboard);
    const responseTexts: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.headers()['content-type']?.includes('json')) responseTexts.push(response.text().catch(() => ''));
    });
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const dialog = await openConnectionDialog(page);
    await dialog.getByLabel('URL', { exact: true }).fill(upstream.mcp.url);
    await dialog.getByLabel('Credential').selectOption('oauth');
    await dialog.getByLabel('Client id').fill(clientRegistration.client_id);
    await dialog.getByLabel('Client secret').fill(clientSecret);
    await waitForValue(t, () => dialog.getByLabel('Client secret').getAttribute('type'), 'password');
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('guarded');
    await dialog.getByRole('button', { name: 'Add and sign in' }).click();
    await page.getByText(/^Signed in at guarded\./).waitFor();
    const card = page.getByRole('region', { name: 'guarded' });
    await card.getByText('as given-by-hand with a secret').waitFor();
    t.match(await callHub(url, token, 'tools/call', { name: 'guarded__logs', arguments: {} }), /logged/);
    t.equal(upstream.registrations(), 0, 'nothing is registered');
    upstream.revoke('access');
    t.match(await callHub(url, token, 'tools/call', { name: 'guarded__logs', arguments: {} }), /logged/);
    t.same(upstream.grants, ['authorization_code', 'refresh_token'], 'renewed as that client');
    await card.getByRole('button', { name: 'Edit…' }).click();
    await dialog.getByLabel('Credential').selectOption('oauth');
    await waitForValue(t, () => dialog.getByLabel('Client secret').inputValue(), '');
    t.notMatch(await page.content(), clientSecret);
    const texts = await Promise.all(responseTexts);
    t.ok(texts.some((text) => text.includes('"has_client_secret":true')));
    t.notOk(
      texts.some((text) => text.includes(clientSecret)),
      'no answer has it',
    );
  },
  allowPrivateUpstreams,
);
