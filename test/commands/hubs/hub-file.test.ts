/** The file of a hub: what is exported is read again, and wrong files are refused with positions and without values. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { buildDesiredFile } from '../../../src/commands/hubs/as-code/desired-file.ts';
import { parseCommand } from '../../../src/commands/hubs/as-code/file-rules.ts';
import { parseHubFile, renderHubFile } from '../../../src/commands/hubs/as-code/hub-file-text.ts';
import { type HubState, toHubFile } from '../../../src/commands/hubs/as-code/hub-state.ts';
import { planChanges } from '../../../src/commands/hubs/as-code/plan-changes.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { arbitraryHubState } from './random-hubs.ts';

const options = { prunes: true, sendsSecrets: false, caller: 'ana@example.com' };

t.test('an exported hub is read as the same hub, whatever is in it', async () => {
  fc.assert(
    fc.property(arbitraryHubState, (state) => {
      const exported = toHubFile(state);
      const { file } = parseHubFile(renderHubFile(exported), 'hub.yaml');
      deepStrictEqual(file, exported);
      const plan = planChanges(file, state, options);
      deepStrictEqual([plan.changes, plan.unlisted, plan.problems], [[], [], []]);
      const { revision: _revision, ...current } = exported;
      strictEqual(renderHubFile(buildDesiredFile(file, state, true)), renderHubFile(current));
    }),
    { numRuns: 300, seed: 1511 },
  );
});

t.test('what a plan leaves is empty for every pair of hubs', async () => {
  fc.assert(
    fc.property(arbitraryHubState, arbitraryHubState, (before, desired) => {
      const file = toHubFile(desired);
      const plan = planChanges(file, before, options);
      const isSame = renderHubFile(withoutRevision(before)) === renderHubFile(withoutRevision(desired));
      strictEqual(plan.changes.length === 0 && plan.problems.length === 0, isSame);
    }),
    { numRuns: 200, seed: 1512 },
  );
});

function withoutRevision(state: HubState) {
  const { revision: _revision, hub, ...rest } = toHubFile(state);
  return { ...rest, hub: { name: hub.name, tool_list: hub.tool_list } };
}

/** The problems of a file, as `line:column message`. */
function findProblems(text: string): string[] {
  try {
    parseHubFile(text, 'hub.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    t.equal(error.code, 'HUB_FILE_INVALID');
    return error.diagnostics.map((problem) => {
      const { line, column, message } = Object(problem);
      return `${line}:${column} ${message}`;
    });
  }
}

const head = 'version: 1\nhub: {slug: acme}\n';

t.test('wrong members are refused with their position and what was probably meant', async (t) => {
  const cases: readonly (readonly [text: string, ...problems: readonly (string | RegExp)[]])[] = [
    ['', '1:1 the file must be a mapping'],
    ['version: 2\nhub: {slug: acme}\n', '1:10 version must be 1'],
    ['version: 1\nhub: {slug: Acme}\n', /^2:13 hub\.slug must be 2 to 40 lowercase letters/],
    ['version: 1\nhub: {}\n', '2:6 hub.slug is missing'],
    [`${head}conections: []\n`, '3:1 conections is not a known member; did you mean connections?'],
    [
      `${head}members:\n  - email: ana@example.com\n    role: ownr\n`,
      '5:11 members[0].role must be one of owner, member, viewer; did you mean owner?',
    ],
    [
      `${head}members: [{email: a@b.c, role: owner}, {email: A@b.c, role: viewer}]\n`,
      /^3:\d+ members\[1\]\.email is there twice$/,
    ],
    [
      `${head}connections:\n  - name: docs\n    kind: http\n    url: https://x.example/\n    credential: {kind: headr, header: X}\n`,
      '7:24 connections[0].credential.kind must be one of none, header, oauth; did you mean header?',
    ],
    [`${head}connections: [{name: docs, kind: http}]\n`, /url is missing: the kind http needs it/],
    [`${head}connections: [{name: docs, kind: memory, url: https://x.example/}]\n`, /url must be omitted/],
    [
      `${head}connections: [{name: docs, kind: sse, url: https://x.example/, protocol: newest}]\n`,
      /protocol must be auto or older with the kind sse$/,
    ],
    [
      `${head}connections: [{name: docs, kind: memory, protocol: older}]\n`,
      /protocol must be omitted with the kind memory/,
    ],
    [`${head}connections: [{name: docs, kind: stdio}]\n`, /command is missing/],
    [`${head}connections: [{name: docs, kind: http, url: "ftp://x"}]\n`, /url must be an http or https address/],
    [
      `${head}connections: [{name: a, kind: memory}, {name: b, kind: memory}]\n`,
      /connections has more than one of the kind memory/,
    ],
    [
      `${head}policy:\n  new_tols: hold\n  limits: [{per: person, calls_a_minute: 0}]\n`,
      '4:3 policy.new_tols is not a known member; did you mean new_tools?',
      /^5:42 policy\.limits\[0\]\.calls_a_minute must be greater or equal to 1/,
    ],
    [`${head}a: &x [1]\nb: *x\n`, /anchors and aliases/, /anchors and aliases/],
    [`${head}hub: {slug: other}\n`, /not valid YAML: Map keys must be unique/],
    [`${head}  - x: [\n`, /not valid YAML/, /./],
  ];
  for (const [text, ...expected] of cases) {
    const problems = findProblems(text);
    for (const [index, problem] of expected.entries()) t.match(problems[index], problem, text);
  }
});

t.test('a secret in the file is refused without being repeated', async (t) => {
  const secret = 'sk-live-4711';
  const connection = (credential: string) =>
    `${head}connections:\n  - name: crm\n    kind: http\n    url: https://crm.example/\n    credential: ${credential}\n`;
  const texts = [
    connection(`{kind: header, header: X-Key, value: ${secret}}`),
    connection(`{kind: header, header: X-Key, secret: ${secret}}`),
    connection(`{kind: oauth, sharing: shared, client_id: x, client_secret: ${secret}}`),
    connection(`{kind: header, header: X-Key, value: [${secret}}`),
    connection(`{kind: header, header: X-Key, value: !${secret} x}`),
    connection(`{kind: header, header: X-Key, value: "command:${secret} | head"}`),
  ];
  for (const text of texts) {
    const problems = findProblems(text);
    t.ok(problems.length > 0, text);
    t.notMatch(problems.join('\n'), secret);
  }
  t.match(findProblems(texts[0] ?? ''), [/7:\d+ connections\[0\]\.credential\.value must be a reference to a secret/]);
  t.same(findProblems(connection('{kind: header, header: X-Key, value: "env:CRM_KEY"}')), []);
});

t.test('files that are too long or too deep are refused', async (t) => {
  t.match(findProblems(`a: ${'x'.repeat(2_000_001)}`), [/too long/]);
  t.ok(findProblems(`${head}policy: ${'['.repeat(20_000)}`).length > 0);
});

t.test('a command is a program with arguments, and no shell', async (t) => {
  t.same(parseCommand('command:op read "op://team vault/key" \'a b\''), ['op', 'read', 'op://team vault/key', 'a b']);
  for (const text of ['', 'op | head', 'op $KEY', 'op `x`', 'op > f', 'op "x', 'op a;b', 'op \\x'])
    t.equal(parseCommand(`command:${text}`), undefined, text);
});
