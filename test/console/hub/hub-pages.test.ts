import t from 'tap';
import { auditQueryOf, isAsked } from '../../../src/console/hub/audit-filter.ts';
import { lookedText } from '../../../src/console/hub/audit-looked.ts';
import { clientSnippets } from '../../../src/console/hub/clients.ts';
import { connectionOf, draftOf, probeOf, suggestedName } from '../../../src/console/hub/connection-draft.ts';
import { readPolicy } from '../../../src/console/hub/policy/read-policy.ts';
import { definitionOf, isSwitchedOff, rolesThatMay, switched } from '../../../src/console/hub/tool-rules.ts';
import type { AuditCall } from '../../../src/contract/hub-audit-api.ts';

const call: AuditCall = {
  hub_id: 'h1',
  hub: 'acme',
  seq: 7,
  at: '2026-11-20T14:30:00.000Z',
  person_id: 'p1',
  person: 'Ana',
  role: 'owner',
  via: 'token',
  via_id: 't1',
  via_name: 'ci',
  client: null,
  client_version: null,
  method: 'tools/call',
  connection_id: 'c1',
  connection: 'weather',
  tool: 'forecast',
  outcome: 'denied',
  reason: null,
  duration_ms: 3,
  request_bytes: 10,
  answer_bytes: 20,
  request_id: null,
  arguments_digest: 'd',
  kept_digest: null,
  arguments: null,
};

t.test('the address of the audit is its question; what it does not know counts as nothing', async (t) => {
  const nowMs = Date.UTC(2026, 10, 20, 14, 30);
  const search = new URLSearchParams('person=p1&tool=forecast&outcome=denied&since=24h&call=7');
  const query = auditQueryOf(search, nowMs);
  t.same(query, { person: 'p1', tool: 'forecast', outcome: 'denied', from: '2026-11-19T14:30:00.000Z' });
  t.same(auditQueryOf(new URLSearchParams('outcome=great&since=ever&person='), nowMs), {});
});

t.test('a new call is shown where it answers the question', async (t) => {
  t.ok(isAsked(call, {}));
  t.ok(isAsked(call, { person: 'p1', token: 't1', connection: 'weather', tool: 'forecast', outcome: 'denied' }));
  for (const other of [
    { person: 'p2' },
    { token: 't2' },
    { connection: 'x' },
    { tool: 'x' },
    { outcome: 'ok' },
  ] as const)
    t.notOk(isAsked(call, other), JSON.stringify(other));
});

t.test('a tool that is switched off and on again leaves every other rule as it was', async (t) => {
  const policy = { roles: { member: { deny: ['mail__*'] } }, bounds: { timeout_s: 9 } };
  t.same(rolesThatMay(policy, 'weather__forecast', true), ['owner', 'member', 'viewer']);
  t.same(rolesThatMay(policy, 'mail__send', true), ['owner', 'viewer']);
  const off = switched(policy, 'weather__forecast', false);
  t.same(rolesThatMay(off, 'weather__forecast', true), []);
  t.same([isSwitchedOff(off, 'weather__forecast'), isSwitchedOff(off, 'weather__now')], [true, false]);
  t.same(rolesThatMay(off, 'weather__now', true), ['owner', 'member', 'viewer']);
  const on = switched(off, 'weather__forecast', true);
  t.same(rolesThatMay(on, 'weather__forecast', true), ['owner', 'member', 'viewer']);
  t.same(on, { ...policy, roles: { owner: {}, member: { deny: ['mail__*'] }, viewer: { read_only: true } } });
});

t.test('who may only read may not call a tool that does not say that it only reads', async (t) => {
  t.same(rolesThatMay({}, 'weather__wipe', false), ['owner', 'member']);
  t.same(rolesThatMay({ roles: { member: { read_only: true }, viewer: {} } }, 'a__b', false), ['owner', 'viewer']);
});

t.test('characters of a pattern other than the star stand for themselves', async (t) => {
  const may = (allow: string[]) => rolesThatMay({ roles: { owner: { allow } } }, 'a__b.c', true).includes('owner');
  t.same(
    [may(['a__b.c']), may(['a__*']), may(['*']), may(['a__bxc']), may(['a__b.']), may(['(a'])],
    [true, true, true, false, false, false],
  );
});

t.test('of a definition what is shown is text, whatever a server says', async (t) => {
  t.same(definitionOf({ approved: { description: 'Tells.', annotations: { readOnlyHint: true } }, waiting: null }), {
    title: '',
    description: 'Tells.',
    annotations: { readOnlyHint: true },
  });
  t.same(definitionOf({ approved: null, waiting: { title: 5, description: ['x'], annotations: 'no' } }), {
    title: '',
    description: '',
    annotations: {},
  });
});

t.test('of a connection only what was written is sent, and a kept credential stays out of it', async (t) => {
  const draft = { ...draftOf(undefined), name: 'weather', target: 'https://tools.example.com/mcp' };
  const url = { name: 'weather', kind: 'http', url: 'https://tools.example.com/mcp' };
  t.same(connectionOf(draft), { ...url, credential: { kind: 'none' } });
  t.same(connectionOf({ ...draft, credential: 'kept', value: 'x' }), url);
  t.same(connectionOf({ ...draft, credential: 'header', value: 'Bearer x' }).credential, {
    kind: 'header',
    header: 'Authorization',
    value: 'Bearer x',
  });
  t.same(connectionOf({ ...draft, credential: 'oauth', sharing: 'per_user' }).credential, {
    kind: 'oauth',
    sharing: 'per_user',
  });
  t.same(connectionOf({ ...draft, kind: 'stdio', target: 'git' }), { name: 'weather', kind: 'stdio', command: 'git' });
  t.same(connectionOf({ ...draft, kind: 'memory', name: 'memory' }), { name: 'memory', kind: 'memory' });
  t.same(probeOf(draft), { kind: 'http', url: url.url, credential: { kind: 'none' } }, 'a probe needs no name');
});

t.test('a name is suggested by what the server calls itself, else by its address', async (t) => {
  const at = (target: string, kind: 'http' | 'stdio' | 'memory' = 'http') => ({ kind, target });
  t.equal(suggestedName('GitHub MCP Server', at('https://x.example.com')), 'github');
  t.equal(suggestedName('@acme/Weather_Service!', at('https://x.example.com')), 'acme-weather');
  t.equal(suggestedName('MCP', at('https://x.example.com')), 'mcp', 'better than nothing');
  t.equal(suggestedName(undefined, at('https://tools.example.com/mcp')), 'example');
  t.equal(suggestedName(undefined, at('http://localhost:3000/mcp')), 'localhost');
  t.same(
    [suggestedName(undefined, at('http://127.0.0.1:3/')), suggestedName(undefined, at('http://[::1]/'))],
    ['', ''],
  );
  t.equal(suggestedName(undefined, at('git', 'stdio')), 'git');
  t.equal(suggestedName('whatever', at('', 'memory')), 'memory');
  t.equal(suggestedName('an exceedingly long name of a server', at('')).length <= 24, true);
  t.equal(suggestedName('!!!', at('no address')), '');
});

t.test('what is written for each client holds the address and the token, and is the JSON it must be', async (t) => {
  const address = { name: 'acme', url: 'https://hub.example.com/agent/mcp', token: 'vph_secret' };
  for (const { name, text, signsIn } of clientSnippets) {
    const written = text(address);
    t.match(written, address.url, name);
    t.match(written, address.token, name);
    const bare = text({ name: 'acme', url: 'https://hub.example.com/hub/acme/mcp' });
    t.match(bare, 'https://hub.example.com/hub/acme/mcp', name);
    t.notMatch(bare, /Bearer|HUB_|undefined/, `${name} signs in by itself: ${signsIn}`);
    for (const one of [written, bare]) if (one.startsWith('{')) t.doesNotThrow(() => JSON.parse(one), name);
  }
});

t.test('a text that is no policy says why', async (t) => {
  t.same(readPolicy('{"roles":{}}'), { document: { roles: {} } });
  t.match(readPolicy('{"roles":'), { problem: /^No JSON: / });
  t.match(readPolicy('[]'), { problem: 'A policy is an object: {…}' });
  t.match(readPolicy('{"rules":{}}'), { problem: 'A policy has no "rules"; it has roles, arguments' });
});

t.test('a search that stopped says how far it came, and that there may be more', (t) => {
  const until = '2026-11-20T14:30:00.000Z';
  t.match(
    lookedText(3, until, true),
    /^These are all calls like that since .*2026.*\. Earlier ones have not been looked at/,
  );
  t.match(lookedText(50, until, false), /^These are all calls since /);
  t.match(lookedText(0, until, true), /^No call like that since .*Earlier ones have not been looked at/);
  t.end();
});
