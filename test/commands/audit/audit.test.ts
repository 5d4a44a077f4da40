/** `vp audit …` on a real control plane: calls of an agent are searched, exported and verified. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { writeCredential } from '../../../src/commands/control-plane/credentials.ts';
import { createAnchorKey } from '../../../src/hub/audit/signing/anchor-key.ts';
import { createAuthority, createReply, startTimeStampServer } from '../../hub/audit/time-stamps/time-stamp-server.ts';
import {
  buildAuthorization,
  obtainCode,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { startHttpTarget } from '../../targets/http-target.ts';
import { createWorkspace } from '../test-workspace.ts';

/** The hub `acme` of Ana, whose terminal is signed in, and an agent that called three unknown tools. */
async function startWithCalls(t: Test, options: Partial<Parameters<typeof startOAuthControlPlane>[1]> = {}) {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const folder = join(testWorkspace.folder, 'plane');
  const plane = await startOAuthControlPlane(t, { ...options, folder });
  const authorizationRequest = buildAuthorization(plane);
  const { body: tokens } = await redeemCode(
    plane,
    await obtainCode(await signInFirstOwner(plane), authorizationRequest.url),
    authorizationRequest,
  );
  writeCredential(testWorkspace.paths, plane.url, tokens.access_token ?? '');
  const vp = (args: readonly string[]) => testWorkspace.vp(args, { variables: { VP_CONTROL_PLANE: plane.url } });
  await vp(['hubs', 'create', 'acme']);
  const { stdout } = await vp(['tokens', 'create', 'ci', '--hub', 'acme']);
  const token = /vph_\w+/.exec(stdout)?.[0] ?? '';
  for (let index = 1; index <= 3; index += 1) {
    const params = { name: `tickets__tool_${index}`, arguments: { password: 'hunter2hunter2', at: index } };
    await fetch(`${plane.url}/agent/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params }),
    }).then((response) => response.text());
  }
  return { vp, folder, file: join(folder, 'audit.db'), lines: plane.lines, close: () => plane.close() };
}

t.test('calls are searched and exported over the API', async (t) => {
  const { vp } = await startWithCalls(t);
  const searched = await vp(['audit', 'search', 'acme', '--since', '1h']);
  t.equal(searched.code, 0, searched.stderr);
  t.match(searched.stdout, /^TIME \(UTC\) +PERSON/);
  t.equal(searched.stdout.trimEnd().split('\n').length, 4);
  const { calls, looked_until: until } = JSON.parse(
    (await vp(['audit', 'search', 'acme', '--limit', '2', '--json'])).stdout,
  );
  t.equal(until, calls[1].at);
  const limited = await vp(['audit', 'search', 'acme', '--limit', '2']);
  t.match(limited.stderr, `older calls were not searched; continue with --until ${until}\n`);
  t.equal(searched.stderr, '', 'all were');
  t.match(calls, [
    { hub: 'acme', person: 'Ana', via: 'token', via_name: 'ci' },
    { hub: 'acme', person: 'Ana' },
  ]);
  t.equal(calls.length, 2);
  t.match(await vp(['audit', 'search', 'acme', '--outcome', 'ok']), { code: 0, stdout: 'no matching calls\n' });
  const lines = (await vp(['audit', 'export', 'acme'])).stdout.trimEnd().split('\n');
  t.equal(lines.length, 3);
  t.match(JSON.parse(lines[0] ?? ''), { seq: 1, hub: 'acme' });
  const csv = await vp(['audit', 'export', 'acme', '--format', 'csv', '--since', '1h']);
  t.match(csv.stdout, /^hub_id,hub,seq,/);
  t.notMatch(`${lines}${csv.stdout}`, 'hunter2');
  t.match(await vp(['audit', 'search', 'nobodys']), { code: 2, stderr: /HUB_UNKNOWN/ });
});

t.test('the audit log is verified on its files while in use, and a removed row is detected', async (t) => {
  const { vp, folder, file } = await startWithCalls(t);
  const intact = await vp(['audit', 'verify', '--data', folder]);
  t.match(intact, { code: 0, stdout: /^✓ acme: 3 entries, 1 to 3; chain end acme@3:[0-9a-f]{64}\n$/ });
  const end = /acme@3:[0-9a-f]{64}/.exec(intact.stdout)?.[0] ?? '';
  t.match(await vp(['audit', 'verify', '--data', folder, '--expect', end]), { code: 0 });
  const otherEnd = end.replace(/:[0-9a-f]{4}/, ':0000');
  t.match(await vp(['audit', 'verify', '--data', folder, '--expect', otherEnd]), {
    code: 1,
    stdout: /has another MAC/,
  });
  t.match(await vp(['audit', 'verify', '--data', folder, '--expect', 'x']), { code: 2, stderr: /FLAG_INVALID/ });
  const sqlite = new Sqlite(file);
  sqlite.exec('DELETE FROM entries WHERE seq = 2');
  sqlite.close();
  t.match(await vp(['audit', 'verify', '--data', folder]), { code: 1, stdout: /✕ removed 2: entry 2 is missing/ });
  const { chains } = JSON.parse((await vp(['audit', 'verify', '--data', folder, '--json'])).stdout);
  t.match(chains, [{ hub: 'acme', faults: [{ kind: 'removed', seq: 2 }] }]);
});

t.test('a row that is hidden from searches, because an index lacks it, is detected', async (t) => {
  const { vp, folder, file } = await startWithCalls(t);
  t.match(await vp(['audit', 'verify', '--data', folder]), { code: 0 });
  const sqlite = new Sqlite(file);
  sqlite.unsafeMode(true);
  const createIndex = 'CREATE INDEX entries_by_time ON entries (hub, at_ms)';
  sqlite.exec(`DROP INDEX entries_by_time; ${createIndex} WHERE seq <> 2; PRAGMA writable_schema = 1;
    UPDATE sqlite_master SET sql = '${createIndex}' WHERE name = 'entries_by_time'`);
  sqlite.close();
  t.match(await vp(['audit', 'verify', '--data', folder]), {
    code: 1,
    stdout: /✓ acme: 3 entries.*\n✕ .*audit\.db: .*\n.*altered: (?:wrong # of entries|row 2 missing)/,
  });
});

/** Ways to change what is stored or found below entries that are as they were. */
const foreignObjects: readonly (readonly [name: string, statement: string, problem: RegExp])[] = [
  [
    'a trigger',
    'CREATE TRIGGER copy AFTER INSERT ON entries BEGIN SELECT 1; END',
    /trigger `copy` on `entries` is not/,
  ],
  ['a view', 'CREATE VIEW calls AS SELECT * FROM entries', /view `calls` on `calls` is not/],
  [
    'a view in place of the entries, which shows this command more than others',
    `ALTER TABLE entries RENAME TO all_entries; CREATE VIEW entries AS SELECT * FROM all_entries
     WHERE seq <> 2 OR (SELECT synchronous FROM pragma_synchronous) = 2`,
    /view `entries` on `entries` is not as/,
  ],
  ['a generated column', "ALTER TABLE entries ADD COLUMN copy TEXT AS (body || 'x')", /table `entries` .* is not as/],
  ['another table', 'CREATE TABLE copies (body TEXT)', /table `copies` on `copies` is not/],
  ['an index with an expression', 'CREATE INDEX fast ON entries (length(body))', /index `fast` on `entries` is not/],
  ['an index that is gone', 'DROP INDEX entries_by_time', /index `entries_by_time` on `entries` is missing/],
  ['a name that hides itself', 'CREATE TABLE "x\u202e\u200by" (z)', /table `x⟦U\+202E⟧⟦U\+200B⟧y` on/],
];

for (const [name, statement, problem] of foreignObjects)
  t.test(`${name} in the file of the audit is reported`, async (t) => {
    const { vp, folder, file, close } = await startWithCalls(t);
    await close();
    const sqlite = new Sqlite(file);
    sqlite.unsafeMode(true);
    sqlite.exec(`PRAGMA writable_schema = 1; ${statement}`);
    sqlite.close();
    const result = await vp(['audit', 'verify', '--data', folder]);
    t.match(result, { code: 1, stdout: /✕ schema: the / });
    t.match(result.stdout, problem);
  });

t.test('a trigger in the store that knows the ends of the audit is reported', async (t) => {
  const { vp, folder, close } = await startWithCalls(t);
  await close();
  t.match(await vp(['audit', 'verify', '--data', folder]), { code: 0, stdout: /^✓ acme/ });
  const sqlite = new Sqlite(join(folder, 'control.db'));
  sqlite.exec('CREATE TRIGGER forget AFTER INSERT ON audit_anchors BEGIN DELETE FROM audit_anchors; END');
  sqlite.close();
  t.match(await vp(['audit', 'verify', '--data', folder]), {
    code: 1,
    stdout: /✕ .*control\.db: .*\n.*schema: the trigger `forget` on `audit_anchors` is not one of vp/,
  });
});

t.test('without an audit log verification fails', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  t.not((await testWorkspace.vp(['audit', 'verify', '--data', testWorkspace.folder])).code, 0);
});

t.test('a deleted audit log fails the verification', async (t) => {
  const { vp, folder, file, close } = await startWithCalls(t);
  await close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  t.match(await vp(['audit', 'verify', '--data', folder]), {
    code: 1,
    stdout: /✕ missing 3: the file is missing, which had 3 entries/,
  });
  const { chains } = JSON.parse((await vp(['audit', 'verify', '--data', folder, '--json'])).stdout);
  t.match(chains, [{ hub: 'acme', faults: [{ kind: 'missing' }] }]);
  t.match(await vp(['audit', 'verify', '--data', t.testdirName]), { code: 2, stderr: /STORE_ABSENT/ });
});

t.test('a statement of `vp audit anchor` is compared, with its signature', async (t) => {
  const { vp, folder, file, close } = await startWithCalls(t);
  const keyFile = join(folder, '..', 'audit.pem');
  const key = JSON.parse((await vp(['audit', 'key', keyFile, '--json'])).stdout);
  t.match(key, { created: true, public_key: /^[\w-]{43}$/ });
  t.match(JSON.parse((await vp(['audit', 'key', keyFile, '--json'])).stdout), { ...key, created: false });
  await close();
  const anchors = join(folder, '..', 'anchors.jsonl');
  const { stdout } = await vp(['audit', 'anchor', '--data', folder, '--audit-key', keyFile]);
  writeFileSync(anchors, stdout);
  const verify = (...args: string[]) => vp(['audit', 'verify', '--data', folder, '--anchors', anchors, ...args]);
  t.match(await verify(), { code: 0, stdout: /compared with 1 statement of .*signed with .*--audit-key/ });
  for (const expected of [key.public_key, keyFile])
    t.match(await verify('--audit-key', expected), { code: 0, stdout: new RegExp(`signed with ${key.public_key}\n$`) });
  t.match(await verify('--audit-key', 'A'.repeat(43)), { code: 1, stdout: /is signed with another key/ });
  writeFileSync(anchors, stdout.replace('"seq":3', '"seq":2'));
  t.match(await verify('--audit-key', key.public_key), { code: 1, stdout: /line 1 has a wrong signature/ });
  writeFileSync(anchors, '');
  t.match(await verify(), { code: 1, stdout: /has no statement/ });
  t.match(await vp(['audit', 'verify', '--data', folder, '--audit-key', keyFile]), { code: 2, stderr: /FLAG_INVALID/ });
  t.match(await vp(['audit', 'verify', '--data', folder, '--anchors', `${anchors}.none`]), {
    stderr: /FOLDER_FILE_UNREADABLE/,
  });
  writeFileSync(anchors, stdout);
  const sqlite = new Sqlite(file);
  sqlite.exec('DELETE FROM arguments; DELETE FROM entries; DELETE FROM checkpoints; DELETE FROM chains');
  sqlite.close();
  t.match(await verify(), { code: 1, stdout: /✕ missing 3: the chain is missing, although the statement of/ });
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  t.match(await verify(), { code: 1, stdout: /the file is missing, which had entry 3/ });
});

t.test('a statement is time-stamped, and its time stamp verified', async (t) => {
  const { vp, folder, close } = await startWithCalls(t);
  await close();
  const certificates = join(folder, '..', 'certificates');
  mkdirSync(certificates);
  const authority = createAuthority(certificates);
  const server = await startTimeStampServer(t, (request) => createReply(authority, request));
  const anchors = join(folder, '..', 'stamped.jsonl');
  const roots = ['--audit-tsa-ca', authority.rootFile];
  const anchor = () => vp(['audit', 'anchor', '--data', folder, '--audit-tsa', server.url.href, ...roots]);
  const verify = (...args: string[]) => vp(['audit', 'verify', '--data', folder, '--anchors', anchors, ...args]);
  const { stdout, stderr } = await anchor();
  t.equal(stderr, '');
  writeFileSync(anchors, stdout);
  t.match(await verify(...roots), { code: 0, stdout: /\n1 time-stamped, the last at 20.*, by CN=vp test tsa\n$/ });
  t.match(JSON.parse((await verify(...roots, '--json')).stdout), {
    anchors: { time_stamped: 1, not_time_stamped: 0, time_stamped_by: ['CN=vp test tsa'], last_time_stamp_at: /^20/ },
  });
  t.match(await verify(), { code: 0, stdout: /\n1 time-stamped, which was not verified \(.*--audit-tsa-ca\)\n$/ });
  const { time_stamp: _stamp, ...unstamped } = JSON.parse(stdout);
  writeFileSync(anchors, JSON.stringify(unstamped));
  t.match(await verify(...roots), { code: 1, stdout: /✕ no statement has a time stamp/ });
  const earlier = { ...JSON.parse(stdout), at_ms: JSON.parse(stdout).at_ms - 1 };
  writeFileSync(anchors, JSON.stringify(earlier));
  t.match(await verify(...roots), {
    code: 1,
    stdout: /✕ line 1 has an invalid time stamp: it is of another statement/,
  });
  t.match(await vp(['audit', 'verify', '--data', folder, ...roots]), { code: 2, stderr: /FLAG_INVALID/ });
  server.respond = () => 503;
  t.match(await anchor(), { code: 3, stdout: '', stderr: /AUDIT_TIMESTAMP_FAILED/ });
});

t.test('a key outside of the process is tried, and signs a statement', async (t) => {
  const { vp, folder, close } = await startWithCalls(t);
  await close();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const program = join(folder, '..', 'sign-audit');
  const script = `const { readFileSync } = require('node:fs');
const { createPrivateKey, sign } = require('node:crypto');
const isPublic = process.argv[2] === 'public-key';
const signature = () => sign(null, readFileSync(0), createPrivateKey(${JSON.stringify(pem)})).toString('base64');
process.stdout.write(isPublic ? '${publicKey.export({ format: 'jwk' }).x}' : signature());`;
  writeFileSync(program, `#!${process.execPath}\n${script}`, { mode: 0o755 });
  const key = ['--audit-key', `command:${program}`];
  const tried = await vp(['audit', 'key', `command:${program}`, '--json']);
  const { public_key: text } = JSON.parse(tried.stdout);
  const anchors = join(folder, '..', 'command.jsonl');
  writeFileSync(anchors, (await vp(['audit', 'anchor', '--data', folder, ...key])).stdout);
  t.match(await vp(['audit', 'verify', '--data', folder, '--anchors', anchors, `--audit-key=${text}`]), { code: 0 });
  const failing = await vp(['audit', 'key', 'command:./missing']);
  t.match(failing, { stdout: '', stderr: /AUDIT_KEY_UNAVAILABLE/ });
  t.not(failing.code, 0);
});

t.test('a control plane states how far its audit has come: in a file, its log, and at a webhook', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'anchors.jsonl');
  const received: string[] = [];
  const hook = await startHttpTarget((_request, response, { body }) => {
    received.push(body);
    response.writeHead(204).end();
  });
  t.teardown(() => hook.close());
  const destinations = [
    { kind: 'file', file },
    { kind: 'log' },
    { kind: 'webhook', url: new URL(`${hook.origin}/anchors?secret=hunter2hunter2`) },
    { kind: 'file', file: join(folder, 'missing', 'anchors.jsonl') },
  ] as const;
  const key = createAnchorKey(join(folder, 'audit.pem'));
  const auditAnchoring = { destinations, key, intervalMs: 3_600_000, extraRoots: [] };
  const { vp, folder: data, lines, close } = await startWithCalls(t, { auditAnchoring });
  await close();
  const logFile = join(folder, 'log.jsonl');
  writeFileSync(logFile, lines.map((line) => JSON.stringify({ level: 30, ...line })).join('\n'));
  const hookFile = join(folder, 'hook.jsonl');
  writeFileSync(hookFile, received.join('\n'));
  for (const anchors of [file, logFile, hookFile])
    t.match(await vp(['audit', 'verify', '--data', data, '--anchors', anchors, '--audit-key', key.publicKey]), {
      code: 0,
      stdout: /compared with 1 statement/,
    });
  t.ok(
    lines.some(({ err }) => /ENOENT/.test(String(err))),
    'a target that cannot be written is in the log',
  );
  t.notMatch(JSON.stringify(lines), 'hunter2hunter2');
});
