/** `vp hubs export`, `diff` and `apply` on a real control plane. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { createHttpBrowser, password } from '../../server/oauth/oauth-control-plane.ts';
import { arbitraryHubState, arbitraryPolicy } from './random-hubs.ts';
import { startSignedIn } from './signed-in-workspace.ts';

const serverUrl = 'https://tools.example.com/mcp';

async function startHub(t: Test) {
  const signedIn = await startSignedIn(t, { hubSettings: { maxHubs: 100 } });
  await signedIn.createHub();
  const { testWorkspace, ana, plane, vp } = signedIn;
  const file = join(testWorkspace.folder, 'hub.yaml');
  return {
    ...signedIn,
    file,
    read: () => readFileSync(file, 'utf8'),
    write: (text: string) => writeFileSync(file, text),
    edit: (change: (text: string) => string) => writeFileSync(file, change(readFileSync(file, 'utf8'))),
    export: () => vp(['hubs', 'export', 'acme', '--out', 'hub.yaml']),
    async invite(name: string, email: string) {
      const { url } = await (await ana.api('POST', '/invitations', { role: 'member' })).json();
      const secret = new URL(url).hash.slice(1);
      await createHttpBrowser(plane.url).api('POST', '/invitations/accept', { secret, name, email, password });
    },
  };
}

t.test('an export replaces no file that was changed without --force', async (t) => {
  const { vp, export: exportHub, edit, read } = await startHub(t);
  await exportHub();
  t.match(await exportHub(), { code: 0 }, 'the same text');
  edit((text) => text.replace('members:', '# ask Max first\nmembers:'));
  t.match(await exportHub(), { code: 2, stderr: /EXPORT_FILE_EXISTS.*--force/s });
  t.match(read(), '# ask Max first');
  t.match(await vp(['hubs', 'export', 'acme', '--out', 'hub.yaml', '--force']), { code: 0 });
  t.notMatch(read(), '# ask Max first');
});

t.test('a hub is exported, changed in the file, compared and applied, once', async (t) => {
  const { vp, json, export: exportHub, edit, read, invite } = await startHub(t);
  await invite('Max', 'max@example.com');
  t.match(await exportHub(), { code: 0, stderr: /vp hubs diff hub\.yaml/ });
  t.match(read(), /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:\d+\/schemas\/hub-file\.json\n/);
  t.match(await vp(['hubs', 'diff', 'hub.yaml']), { code: 0, stdout: 'acme is as hub.yaml says\n' });
  t.match(await vp(['hubs', 'apply', 'hub.yaml']), { code: 0, stdout: 'acme is as hub.yaml says\n' });
  edit((text) =>
    text
      .replace('tool_list: all', 'tool_list: search # agents have small contexts')
      .replace('connections: []', `connections:\n  - {name: docs, kind: http, url: ${serverUrl}}`)
      .replace('members:', 'members:\n  - {email: MAX@example.com, role: viewer}')
      .replace('timeout_s: 120', 'timeout_s: 60'),
  );
  const diff = await vp(['hubs', 'diff', 'hub.yaml']);
  t.equal(diff.code, 1);
  t.match(diff.stdout, /- {2}tool_list: all\n\+ {2}tool_list: search/);
  t.match(diff.stdout, /- {4}timeout_s: 120\n\+ {4}timeout_s: 60/);
  t.match(
    diff.stdout,
    /change the settings name, tool_list\n {2}set the policy\n {2}connect docs\n {2}add MAX@example\.com as viewer\n/,
  );
  const [, revision = ''] = /next: `vp hubs apply hub\.yaml --if-revision (\w+)/.exec(diff.stdout) ?? [];
  t.match(await json('hubs', 'diff', 'hub.yaml'), {
    revision,
    changes: [
      { kind: 'change_settings' },
      { kind: 'set_policy' },
      { kind: 'connect', subject: 'docs' },
      { kind: 'add_member' },
    ],
  });
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--dry-run']), { code: 0, stdout: /^would\n {2}change the settings/ });
  t.match(await json('hubs', 'connections', 'acme'), { connections: [] }, 'a dry run changes nothing');
  const applied = await vp(['hubs', 'apply', 'hub.yaml', '--if-revision', revision]);
  t.match(applied, {
    code: 0,
    stdout:
      /✓ set the policy\n✓ connect docs\n✓ add MAX@example\.com as viewer\nacme is as the file says, revision \S+\n$/,
  });
  t.match(read(), /tool_list: search # agents have small contexts/, 'comments stay');
  const text = read();
  t.match(await vp(['hubs', 'apply', 'hub.yaml']), { code: 0, stdout: 'acme is as hub.yaml says\n' });
  t.equal(read(), text);
  edit((current) => current.replace('tool_list: search', 'tool_list: all'));
  t.match(await vp(['hubs', 'apply', 'hub.yaml']), { code: 0 }, 'the revision in the file is that of the last apply');
});

t.test('a hub that has changed since the export is not overwritten', async (t) => {
  const { vp, export: exportHub, edit } = await startHub(t);
  await exportHub();
  await vp(['hubs', 'connect', 'acme', 'docs', serverUrl]);
  edit((text) => text.replace('tool_list: all', 'tool_list: search'));
  t.match(await vp(['hubs', 'apply', 'hub.yaml']), { code: 2, stderr: /HUB_CHANGED/ });
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--if-revision', 'x']), { code: 2, stderr: /HUB_CHANGED/ });
  const { stdout } = await vp(['hubs', 'diff', 'hub.yaml']);
  t.match(stdout, /not in the file, and unchanged without --prune: docs\n/);
  const [, revision = ''] = /--if-revision (\w+)/.exec(stdout) ?? [];
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--if-revision', revision]), { code: 0 });
  t.match(await vp(['hubs', 'connections', 'acme']), { stdout: /docs/ }, 'nothing is removed without --prune');
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--prune']), { code: 0, stdout: /✓ disconnect docs/ });
  t.match(await vp(['hubs', 'connections', 'acme']), { stdout: /no connections/ });
});

t.test('secrets are read by reference, sent once, and appear nowhere', async (t) => {
  const { testWorkspace, vp, json, write, read, plane } = await startHub(t);
  const key = join(testWorkspace.folder, 'crm.key');
  writeFileSync(key, 'secret-of-file\n', { mode: 0o600 });
  const connection = (name: string, value: string) =>
    `  - {name: ${name}, kind: http, url: "${serverUrl}", credential: {kind: header, header: X-Key, value: "${value}"}}\n`;
  const program = `command:'${process.execPath}' -p '"secret-of-" + "command"'`;
  const text = (...lines: readonly string[]) => `version: 1\nhub: {slug: acme}\nconnections:\n${lines.join('')}`;
  write(text(connection('crm', 'file:crm.key'), connection('erp', 'env:ERP_KEY')));
  const outputs: string[] = [];
  const run = async (args: readonly string[], variables = {}) => {
    const result = await vp(args, variables);
    outputs.push(result.stdout, result.stderr);
    return result;
  };
  const apply = ['hubs', 'apply', 'hub.yaml'];
  t.match(await run(apply), { code: 2, stderr: /erp[\s\S]*env:ERP_KEY is not set[\s\S]*HUB_SECRET_UNREADABLE/ });
  t.match(await run(['hubs', 'connections', 'acme']), { stdout: /no connections/ }, 'nothing was done before');
  const variables = { ERP_KEY: 'secret-of-variable' };
  chmodSync(key, 0o644);
  t.match(await run(apply, variables), { code: 4, stderr: /STORE_KEY_EXPOSED/ });
  chmodSync(key, 0o600);
  t.match(await run(apply, variables), { code: 0, stdout: /✓ connect crm\n✓ connect erp/ });
  t.match(await run(apply), { code: 0, stdout: /acme is as hub\.yaml says/ }, 'they are not needed again');
  t.match(await run([...apply, '--secrets'], variables), { code: 0, stdout: /✓ change the connection crm\n✓ change/ });
  write(read().replace('file:crm.key', program.replaceAll('"', '\\"')));
  t.match(await run([...apply, '--secrets'], variables), { code: 2, stderr: /needs --allow-commands/ });
  t.match(await run([...apply, '--secrets', '--allow-commands'], variables), { code: 0 });
  write(read().replace(/-p '.*?'"/, "-e 'process.exit(3)'\""));
  t.match(await run([...apply, '--secrets', '--allow-commands'], variables), { code: 2, stderr: /exit code 3/ });
  await run(['hubs', 'diff', 'hub.yaml']);
  await run(['hubs', 'export', 'acme']);
  t.notMatch(`${outputs.join('\n')}${read()}${JSON.stringify(plane.lines)}`, /secret-of-(file|variable|command)/);
  t.match(await json('hubs', 'export', 'acme'), {
    file: { connections: [{ name: 'crm', credential: { kind: 'header', header: 'X-Key' } }, { name: 'erp' }] },
  });
  write(
    text(`  - {name: crm, kind: http, url: "https://other.example.com/", credential: {kind: header, header: X-Key}}\n`),
  );
  t.match(await run(apply), { code: 2, stderr: /credential\.value is missing: the connection changes/ });
});

/** Whoever writes the file of a hub chooses the names. */
const unreadableReferences: readonly (readonly [reference: string, problem: RegExp])[] = [
  ...['__proto__', 'constructor', 'toString'].map((name) => [`env:${name}`, /is not set/] as const),
  ['file:pipe.key', /is not a regular file/],
  ['file:/dev/zero', /is not a regular file/],
  ['file:large.key', /is larger than 64 KiB/],
  ['file:nothing.key', /is missing/],
];

t.test('a reference to something that is no secret is refused at once', async (t) => {
  const { testWorkspace, vp, write } = await startHub(t);
  execFileSync('mkfifo', ['-m', '600', join(testWorkspace.folder, 'pipe.key')]);
  writeFileSync(join(testWorkspace.folder, 'large.key'), 'x'.repeat(65_537), { mode: 0o600 });
  for (const [reference, problem] of unreadableReferences) {
    const credential = `{kind: header, header: X-Key, value: "${reference}"}`;
    write(
      `version: 1\nhub: {slug: acme}\nconnections:\n  - {name: crm, kind: http, url: "${serverUrl}", credential: ${credential}}\n`,
    );
    const result = await vp(['hubs', 'apply', 'hub.yaml']);
    t.match(result, { code: 2, stderr: /HUB_SECRET_UNREADABLE/ }, reference);
    t.match(result.stderr, problem, reference);
  }
});

t.test('a reference with NUL in it is refused with its place', async (t) => {
  const { vp, write } = await startHub(t);
  for (const reference of ['file:crm.key\\0.txt', 'command:node \\0']) {
    const credential = `{kind: header, header: X-Key, value: "${reference}"}`;
    write(
      `version: 1\nhub: {slug: acme}\nconnections:\n  - {name: crm, kind: http, url: "${serverUrl}", credential: ${credential}}\n`,
    );
    const result = await vp(['hubs', 'apply', 'hub.yaml', '--allow-commands']);
    t.match(result, { code: 2, stderr: /HUB_FILE_INVALID/ }, reference);
  }
});

t.test('a file that is too long, or has no end, is refused', async (t) => {
  const { testWorkspace, vp } = await startHub(t);
  const huge = join(testWorkspace.folder, 'huge.yaml');
  writeFileSync(huge, '');
  truncateSync(huge, 600_000_000);
  for (const name of ['huge.yaml', '/dev/zero'])
    t.match(await vp(['hubs', 'diff', name]), { code: 2, stderr: /the file is too long/ }, name);
});

t.test('what the hub would refuse is refused before the first change', async (t) => {
  const { vp, write, invite } = await startHub(t);
  await invite('Max', 'max@example.com');
  const apply = ['hubs', 'apply', 'hub.yaml'];
  t.match(await vp(apply), { code: 2, stderr: /HUB_FILE_UNREADABLE/ });
  const file = (rest: string, slug = 'acme') => `version: 1\nhub: {slug: ${slug}}\n${rest}`;
  const cases: readonly (readonly [rest: string, problem: RegExp])[] = [
    [
      'members: [{email: mxa@example.com, role: viewer}]',
      /3:19 members\[0\]\.email belongs to no account[\s\S]*did you mean max@example\.com\?/,
    ],
    ['members: [{email: ana@example.com, role: viewer}]', /members\[0\]\.role must be owner/],
    [
      'connections: [{name: docs, kind: memory}]\npolicy: {roles: {viewer: {allow: [dosc__*]}}}',
      /4:35 policy\.roles\.viewer\.allow\[0\] names no tool of the hub: dosc__\* \(did you mean docs__\*\?\)/,
    ],
    ['policy: {callers: [{allow: []}]}', /POLICY_INVALID/],
    [
      'connections: [{name: a, kind: http, url: "https://x.example/", credential: {kind: header, header: X}}]',
      /the hub has no such secret yet/,
    ],
  ];
  for (const [rest, problem] of cases) {
    write(file(rest));
    const result = await vp(apply);
    t.match(result, { code: 2 }, rest);
    t.match(result.stderr.replaceAll(/\n\s+/g, ' '), problem);
  }
  t.match(await vp(['hubs', 'connections', 'acme']), { stdout: /no connections/ });
  write(file('members: []'));
  t.match(await vp([...apply, '--prune']), { code: 2, stderr: /lacks ana@example\.com/ });
  write(file('policy: {roles: {viewer: {allow: [later__*]}}}'));
  t.match(await vp([...apply, '--accept-unknown-names']), { code: 0 });
  write(file('', 'amce'));
  t.match(await vp(apply), { code: 2, stderr: /HUB_FILE_NO_HUB/ });
});

t.test('a change that is refused makes none, and says so', async (t) => {
  const { vp, json, write } = await startHub(t);
  write(
    `version: 1\nhub: {slug: acme, tool_list: search}\nconnections:\n  - {name: a, kind: memory}\n  - {name: b, kind: http, url: "http://10.0.0.1/"}\n  - {name: c, kind: http, url: "${serverUrl}"}\n`,
  );
  const failed = await vp(['hubs', 'apply', 'hub.yaml']);
  t.equal(failed.code, 1);
  t.match(
    failed.stdout,
    /– change the settings tool_list: not made\n– connect a: not made\n✕ connect b: .*CONNECTION_URL_REFUSED\)\n.*\n– connect c: not made\n/,
  );
  t.match(failed.stdout, /acme: nothing was changed/);
  t.match(await json('hubs', 'apply', 'hub.yaml'), {
    revision: null,
    changes: [
      { kind: 'change_settings', outcome: 'not_made' },
      { kind: 'connect', subject: 'a', outcome: 'not_made' },
      { kind: 'connect', subject: 'b', outcome: 'refused', error: { code: 'CONNECTION_URL_REFUSED' } },
      { kind: 'connect', subject: 'c', outcome: 'not_made', error: null },
    ],
  });
  t.match(await json('hubs', 'connections', 'acme'), { connections: [] });
  t.match((await vp(['hubs', 'export', 'acme'])).stdout, /tool_list: all/);
  write('version: 1\nhub: {slug: fresh}\nconnections: [{name: b, kind: http, url: "http://10.0.0.1/"}]\n');
  t.equal((await vp(['hubs', 'apply', 'hub.yaml', '--create'])).code, 1);
  t.notMatch((await vp(['hubs', 'list'])).stdout, /fresh/, 'no half hub is left behind');
});

t.test('the kind of a connection changes only with --prune', async (t) => {
  const { vp, json, write } = await startHub(t);
  await vp(['hubs', 'connect', 'acme', 'notes', serverUrl]);
  write('version: 1\nhub: {slug: acme}\nconnections: [{name: notes, kind: memory}]\n');
  t.match(await vp(['hubs', 'apply', 'hub.yaml']), { code: 2, stderr: /is http in the hub/ });
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--prune']), { stdout: /✓ disconnect notes, .*\n✓ connect notes/ });
  t.match(await json('hubs', 'connections', 'acme'), { connections: [{ name: 'notes', kind: 'memory' }] });
});

t.test('members change their roles, and leave with --prune', async (t) => {
  const { vp, json, write, invite } = await startHub(t);
  await invite('Max', 'max@example.com');
  const file = (members: string) =>
    write(`version: 1\nhub: {slug: acme}\nmembers: [{email: ana@example.com, role: owner}${members}]\n`);
  file(', {email: max@example.com, role: owner}');
  await vp(['hubs', 'apply', 'hub.yaml']);
  file(', {email: max@example.com, role: viewer}');
  t.match(await vp(['hubs', 'apply', 'hub.yaml']), { stdout: /✓ make max@example\.com viewer, not owner/ });
  file('');
  t.match(await vp(['hubs', 'apply', 'hub.yaml', '--prune']), { stdout: /✓ remove the viewer max@example\.com/ });
  t.match(await json('hubs', 'members', 'acme'), { members: [{ email: 'ana@example.com' }] });
});

t.test('copies of random hubs are equal to them, and applying them again changes nothing', async (t) => {
  const { vp, json, write } = await startHub(t);
  const states = fc.sample(arbitraryHubState, { numRuns: 8, seed: 1513 });
  const policies = fc.sample(arbitraryPolicy, { numRuns: 8, seed: 1514 });
  for (const [index, { hub, connections }] of states.entries()) {
    const reachable = connections.filter(({ kind }) => kind !== 'stdio');
    const file = {
      version: 1,
      hub: { slug: `copy-${index}`, name: hub.name, tool_list: hub.tool_list },
      members: [{ email: 'ana@example.com', role: 'owner' }],
      connections: reachable.map(({ name, kind, enabled, credential, protocol }) => ({
        name,
        kind,
        url: `https://tools.example.com/${index}`,
        ...(enabled ? {} : { enabled }),
        ...(credential.kind === 'header' ? { credential: { ...credential, value: 'env:KEY' } } : {}),
        ...(protocol === 'auto' ? {} : { protocol }),
      })),
      policy: policies[index],
    };
    write(stringify(file));
    const flags = ['--create', '--accept-unknown-names'];
    const applied = await vp(['hubs', 'apply', 'hub.yaml', ...flags], { KEY: 'secret-4715' });
    t.match(applied, { code: 0 }, applied.stdout + applied.stderr);
    t.match(await vp(['hubs', 'apply', 'hub.yaml', ...flags]), { code: 0, stdout: / is as hub\.yaml says\n/ });
    const { file: exported } = await json('hubs', 'export', `copy-${index}`);
    for (const { credential } of file.connections) if (credential) Reflect.deleteProperty(credential, 'value');
    file.connections.sort((a, b) => (a.name < b.name ? -1 : 1));
    t.same({ ...exported, revision: undefined }, { ...file, revision: undefined });
  }
});

t.test('the schema is published without a credential, and an export is valid in it', async (t) => {
  const { plane, vp, json } = await startHub(t);
  const response = await fetch(`${plane.url}/schemas/hub-file.json`);
  t.equal(response.headers.get('content-type'), 'application/schema+json');
  const schema = await response.json();
  t.same(await json('hubs', 'export', '--schema'), schema);
  await vp(['hubs', 'connect', 'acme', 'docs', serverUrl]);
  const { stdout } = await vp(['hubs', 'export', 'acme']);
  const validate = new Ajv2020({ strict: false }).compile(schema);
  t.ok(validate(parse(stdout)), JSON.stringify(validate.errors));
  t.notOk(validate({ ...parse(stdout), policy: { new_tools: 'x' } }));
  t.match(await vp(['hubs', 'export']), { code: 2, stderr: /COMMAND_WORD_MISSING/ });
  t.match(await vp(['hubs', 'export', 'acme', '--out', '.']), { code: 2, stderr: /HUB_FILE_UNREADABLE/ });
});
