/** `vp hubs verify`: scenarios run against a definition that waits, which nobody else can call. */
import t, { type Test } from 'tap';
import { defaultUpstreamSettings } from '../../../src/assemble/control-plane/upstream-settings.ts';
import { eventually } from '../../eventually.ts';
import { exactChecks, handleExactly } from '../../hub/fixtures/exact-server.ts';
import { createReferenceServer } from '../../hub/fixtures/reference-server.ts';
import { startTestServer } from '../../hub/fixtures/test-server.ts';
import { createHttpBrowser, password } from '../../server/oauth/oauth-control-plane.ts';
import { startSignedIn } from './signed-in-workspace.ts';

function buildScenario(id: string, trigger: string, ...checks: readonly string[]): string {
  const list = checks.map((check) => `- ${check}`).join('\n');
  return `# Scenario: CALL ${id}\n\n## Metadata\n\n- ID: ${id}\n- Layer: HTTP Ingestion\n\n## TRIGGER\n\n${trigger}\n\n## EXPECT\n\n### Runnable\n\n${list}\n\n## TIMEOUT\n\n10s\n`;
}

const echo = 'CALL good__echo\n\n~~~json\n{ "text": "hello" }\n~~~';

async function startToolHub(t: Test) {
  const signedIn = await startSignedIn(t, {
    upstreams: { ...defaultUpstreamSettings, allowPrivate: true },
    hubSettings: { allowPrivateUpstreams: true },
  });
  const reference = createReferenceServer('older');
  const upstream = await startTestServer(t, (request) => handleExactly(reference, request));
  const { vp, plane, createHub } = signedIn;
  await createHub();
  await vp(['hubs', 'connect', 'acme', 'good', upstream.url]);
  const [token = ''] = /vph_\w+/.exec((await vp(['tokens', 'create', 'ci', '--hub', 'acme'])).stdout) ?? [];
  const send = async (method: string, params: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(`${plane.url}/agent/mcp`, { method: 'POST', headers, body })).text();
  };
  await send('tools/list', {});
  const change = async (tool: string, description: string) => {
    reference.descriptions[tool] = description;
    reference.toolsChanged();
    await eventually(async () => {
      await send('tools/list', {});
      return (await vp(['hubs', 'tools', 'acme', '--held'])).stdout.includes(tool);
    });
  };
  return { ...signedIn, reference, send, change };
}

t.test('the scenarios of a tool are run against its waiting definition before it is approved', async (t) => {
  const { vp, json, send, change, testWorkspace } = await startToolHub(t);
  await vp(['instances', 'create', 'tools']);
  testWorkspace.write(
    'calls/RT-CALL-echo.md',
    buildScenario('RT-CALL-echo', echo, 'status=200', 'body has text containing hello'),
  );
  testWorkspace.write(
    'calls/RT-CALL-exact.md',
    buildScenario('RT-CALL-exact', echo.replace('hello', 'exact'), ...exactChecks),
  );
  testWorkspace.write('calls/RT-CALL-fails.md', buildScenario('RT-CALL-fails', 'CALL good__fails', 'status=500'));
  t.match(await vp(['scenarios', 'push', 'calls', '--instance', 'tools']), { code: 0 });
  t.match(
    await vp(['hubs', 'verify', 'acme', 'good', 'echo']),
    { code: 2, stderr: /definition of echo is approved.*none waits.*\(TOOL_PIN_APPROVED\)\n.*vp hubs probe/ },
    'unchanged',
  );
  await change('echo', 'Repeats a text.');
  t.match(await send('tools/call', { name: 'good__echo', arguments: { text: 'hello' } }), /Not allowed/);
  const verified = await vp(['hubs', 'verify', 'acme', 'good', 'echo']);
  t.match(verified, {
    code: 0,
    stdout: /^✓ tools\/RT-CALL-echo {2}passed\n✓ tools\/RT-CALL-exact {2}passed\nof the definition 2\.\S+\n$/,
  });
  t.match(
    await send('tools/call', { name: 'good__echo', arguments: { text: 'hello' } }),
    /Not allowed/,
    'it still waits',
  );
  for (const filter of [
    ['--person', 'ana@example.com'],
    ['--person', 'Ana'],
    ['--tool', 'echo'],
    ['--tool', 'good__echo'],
  ])
    t.match((await vp(['audit', 'search', 'acme', ...filter])).stdout, / good__echo +ok /, filter.join(' '));
  t.match(await vp(['audit', 'search', 'acme', '--person', 'Max', '--tool', 'good__none']), {
    code: 0,
    stdout: /^no matching calls; --person takes the email address, .*; --tool takes /,
  });
  const { calls } = await json('audit', 'search', 'acme', '--outcome', 'ok');
  t.match(
    calls,
    [1, 2].map(() => ({ tool: 'echo', outcome: 'ok', via: 'console' })),
    'the call is in the audit',
  );
  testWorkspace.write(
    'calls/RT-CALL-echo.md',
    buildScenario('RT-CALL-echo', echo, 'status=200', 'body has text containing bye'),
  );
  testWorkspace.write(
    'calls/RT-CALL-variable.md',
    buildScenario('RT-CALL-variable', 'CALL good__echo\n\n~~~json\n{ "text": "${NAME}" }\n~~~', 'status=200'),
  );
  testWorkspace.write(
    'calls/RT-CALL-log.md',
    buildScenario('RT-CALL-log', echo, 'status=200')
      .replace('HTTP Ingestion', 'HTTP Ingestion + Log')
      .replace('- status=200', '- status=200\n- log lines=1'),
  );
  t.match(await vp(['scenarios', 'push', 'calls', '--instance', 'tools']), { code: 0 });
  const failed = await vp(['hubs', 'verify', 'acme', 'good', 'echo']);
  t.equal(failed.code, 1);
  t.match(failed.stdout, /✕ tools\/RT-CALL-echo {2}failed\n {4}.*\n {4}body has text containing bye: .*hello/);
  t.match(failed.stdout, /! tools\/RT-CALL-variable {2}could not be judged\n {4}.*NAME/);
  t.match(failed.stdout, /! tools\/RT-CALL-log {2}could not be judged/);
  const wrong = await json('hubs', 'verify', 'acme', 'good', 'echo');
  t.match(wrong, {
    verification: {
      results: [{ outcome: 'failed' }, { outcome: 'passed' }, { outcome: 'broken' }, { outcome: 'broken' }],
      omitted: 0,
    },
  });
  const { tools } = await json('hubs', 'tools', 'acme', '--held');
  const digest = tools.find(({ tool }: { tool: string }) => tool === 'echo')?.waiting_digest;
  t.match(await vp(['hubs', 'approve', 'acme', 'good', 'echo', '--digest', digest]), { code: 0 });
  t.match(
    await vp(['hubs', 'verify', 'acme', 'good', 'echo']),
    { code: 2, stderr: /TOOL_PIN_APPROVED/ },
    'changed and approved',
  );
  await change('link', 'Links.');
  t.match(await vp(['hubs', 'verify', 'acme', 'good', 'link']), {
    code: 4,
    stdout: /no scenario of any instance has the trigger `CALL good__link`/,
  });
  t.match(await vp(['hubs', 'verify', 'acme', 'good', 'nothing']), { code: 2, stderr: /TOOL_PIN_UNKNOWN/ });
});

t.test('who is not an owner of the hub cannot have a waiting definition called', async (t) => {
  const { vp, ana, plane, reference, change, testWorkspace } = await startToolHub(t);
  await vp(['instances', 'create', 'tools']);
  testWorkspace.write('calls/RT-CALL-echo.md', buildScenario('RT-CALL-echo', echo, 'status=200'));
  t.match(await vp(['scenarios', 'push', 'calls', '--instance', 'tools']), { code: 0 });
  await change('echo', 'Repeats a text.');
  const { items } = await (await ana.api('GET', '/hubs/acme/tools?kind=tool')).json();
  const waiting = items.find(({ tool }: { tool: string }) => tool === 'echo');
  t.type(waiting?.waiting_digest, 'string');
  const input = { connection: 'good', tool: 'echo', digest: waiting?.waiting_digest };
  const join = async (name: string) => {
    const { url } = await (await ana.api('POST', '/invitations', { role: 'owner' })).json();
    const browser = createHttpBrowser(plane.url);
    const secret = new URL(url).hash.slice(1);
    await browser.api('POST', '/invitations/accept', { secret, name, email: `${name}@example.com`, password });
    return browser;
  };
  const verify = async (browser: Awaited<ReturnType<typeof join>>) => {
    const response = await browser.api('POST', '/hubs/acme/tools/verify', input);
    return { status: response.status, ...(await response.json()) };
  };
  const { calls } = reference;
  for (const role of ['member', 'viewer']) {
    const person = await join(role);
    t.match(await vp(['hubs', 'add', 'acme', `${role}@example.com`, '--role', role]), { code: 0 });
    t.match(await verify(person), { status: 403, code: 'HUB_ROLE_INSUFFICIENT' }, role);
  }
  t.match(await verify(await join('eve')), { status: 404, code: 'HUB_UNKNOWN' }, 'not a member');
  t.equal(reference.calls, calls, 'its server was not called');
  t.match(await verify(ana), { status: 200, results: [{ outcome: 'passed' }] });
  t.equal(reference.calls, calls + 1);
});
