/** Scenarios that call tools through a hub, with `vp run --local`: outcomes, bodies, proofs, and the audit of the hub. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { defaultUpstreamSettings } from '../../../src/assemble/control-plane/upstream-settings.ts';
import { exactChecks, handleExactly } from '../../hub/fixtures/exact-server.ts';
import { createReferenceServer } from '../../hub/fixtures/reference-server.ts';
import { startTestServer } from '../../hub/fixtures/test-server.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { startSignedIn } from '../hubs/signed-in-workspace.ts';

async function startToolProject(t: Test) {
  const signedIn = await startSignedIn(t, {
    upstreams: { ...defaultUpstreamSettings, allowPrivate: true },
    hubSettings: { allowPrivateUpstreams: true },
  });
  const { vp, plane, testWorkspace, createHub } = signedIn;
  const reference = createReferenceServer('older');
  const upstream = await startTestServer(t, (request) => handleExactly(reference, request));
  await createHub();
  await vp(['hubs', 'connect', 'acme', 'good', upstream.url]);
  const [token = ''] = /vph_\w+/.exec((await vp(['tokens', 'create', 'ci', '--hub', 'acme'])).stdout) ?? [];
  const write = (name: string, text: string) => testWorkspace.write(name, text);
  write(
    'tools/platform-config.yaml',
    `project: {name: tools}\ntargets:\n  http: {base_url: "${plane.url}"}\n  auth: {type: bearer, bearer_token: "\${HUB_TOKEN}"}\n`,
  );
  write('tools/.env', `HUB_TOKEN=${token}\n`);
  mkdirSync(join(testWorkspace.folder, 'calls'));
  return {
    ...signedIn,
    reference,
    token,
    setToken: (value: string) => writeFileSync(join(testWorkspace.folder, 'tools/.env'), `HUB_TOKEN=${value}\n`),
    scenario(id: string, call: string, ...checks: readonly string[]) {
      const list = checks.map((check) => `- ${check}`).join('\n');
      write(
        `calls/${id}.md`,
        `# Scenario: CALL ${id}\n\n## Metadata\n\n- ID: ${id}\n- Layer: HTTP Ingestion\n\n## TRIGGER\n\nCALL ${call}\n\n## EXPECT\n\n### Runnable\n\n${list}\n\n## TIMEOUT\n\n10s\n`,
      );
    },
    run: (...args: string[]) => vp(['run', '--local', '--product-dir', 'tools', '--test-dir', 'calls', ...args]),
  };
}

t.test('tools are called through the hub, and every outcome is a status', async (t) => {
  const { scenario, run, token, setToken, json, vp, testWorkspace } = await startToolProject(t);
  const file = 'version: 1\nhub: {slug: acme}\npolicy: {roles: {owner: {deny: [good__slow]}}}\n';
  testWorkspace.write('hub.yaml', file);
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--accept-unknown-names']), { code: 0 });
  const echo = 'good__echo\n\n~~~json\n{ "text": "hello" }\n~~~';
  scenario('RT-CALL-echo', echo, 'status=200', 'body has text containing hello');
  scenario('RT-CALL-fails', 'good__fails', 'status=500', 'body has text');
  scenario('RT-CALL-denied', 'good__slow', 'status=403', 'body has text containing Not allowed');
  scenario('RT-CALL-unknown', 'good__nothing', 'status=400', 'body has message');
  const passed = await run();
  t.equal(passed.code, 0, passed.stdout + passed.stderr);
  t.match(passed.stdout, /4 passed/);
  t.notMatch(passed.stdout, token);
  const proven = await vp(['prove', 'RT-CALL-echo', '--local', '--product-dir', 'tools', '--test-dir', 'calls']);
  t.match(proven.stdout, /status=200/);
  t.notMatch(proven.stdout, token);
  const { calls } = await json('audit', 'search', 'acme');
  const outcomes = calls
    .filter((call: { tool: string | null }) => call.tool !== null)
    .map((call: { tool: string; outcome: string }) => `${call.tool} ${call.outcome}`);
  t.match(
    outcomes.sort(),
    ['echo ok', 'echo ok', 'fails tool_error', 'good__nothing denied', 'slow denied'],
    'each call is in the audit',
  );
  scenario('RT-CALL-echo', echo, 'status=200', 'body has text containing goodbye');
  t.match(await run('RT-CALL-echo'), { code: 1, stdout: /goodbye/ });
  setToken('vph_wrong');
  t.match(await run('RT-CALL-fails'), { code: 1, stdout: /401/ });
});

t.test('checks see the numbers that the tool sent', async (t) => {
  const { scenario, run } = await startToolProject(t);
  scenario('RT-CALL-exact', 'good__echo\n\n~~~json\n{ "text": "exact" }\n~~~', ...exactChecks);
  const quoted = '{\\"id\\":12345678901234567890,\\"price\\":1.0}';
  scenario('RT-CALL-quoted', `good__echo\n\n~~~json\n{ "text": "${quoted}" }\n~~~`, ...exactChecks);
  const passed = await run();
  t.equal(passed.code, 0, passed.stdout + passed.stderr);
  const nearest = 'body id equals 12345678901234567000';
  scenario('RT-CALL-exact', 'good__echo\n\n~~~json\n{ "text": "exact" }\n~~~', 'status=200', nearest);
  t.match(await run('RT-CALL-exact'), { code: 1, stdout: /12345678901234567890/ });
});

t.test('a target that is no hub is not taken for a tool', async (t) => {
  const { scenario, run, testWorkspace } = await startToolProject(t);
  const target = await startHttpTarget(respondWithJson({ status: 'ok' }));
  t.teardown(() => target.close());
  testWorkspace.write(
    'tools/platform-config.yaml',
    `project: {name: tools}\ntargets:\n  http: {base_url: "${target.origin}"}\n`,
  );
  scenario('RT-CALL-echo', 'good__echo', 'status=200');
  t.match(await run(), { code: 4, stdout: /EXECUTOR_TOOL_UNANSWERED|something else than a message of MCP/ });
});
