/** Connecting and disconnecting leaves files of the user as they were, to the byte. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type ParseError, parse } from 'jsonc-parser';
import t from 'tap';
import { VpError } from '../../../src/errors/vp-error.ts';
import { replaceToken } from '../../../src/onboarding/agent-folders/disconnect.ts';
import { recordAddition, undoAddition } from '../../../src/onboarding/agent-folders/folder-record.ts';
import {
  buildAddEdits,
  buildEnabledServerEntry,
  buildServerEntry,
  removeEntry,
} from '../../../src/onboarding/agent-folders/server-entry.ts';
import { applyEdits } from '../../../src/onboarding/agent-folders/text-edit.ts';
import { rewriteFile } from '../../../src/onboarding/agent-folders/user-file.ts';
import { createAgentFolder, createToken } from './folder.ts';

const entry = buildServerEntry('shop', 'http://127.0.0.1:9765/mcp', createToken('shop'));

const documents: Readonly<Record<string, string>> = {
  'no content': '',
  'blank lines': '\n\n',
  'an empty object': '{}',
  'an empty object with a line in it': '{\n}\n',
  'no servers': '{\n  "other": [1, 2.50, 1e3]\n}\n',
  'empty servers': '{\n  "mcpServers": {}\n}',
  'empty servers with a space': '{ "mcpServers": { } }',
  'one server': '{\n  "mcpServers": {\n    "a": { "command": "x", "args": ["\\u00e9"] }\n  }\n}\n',
  'one line': '{"mcpServers":{"a":{"command":"x"}},"b":null}',
  tabs: '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n',
  'odd indentation': '{\n       "mcpServers":\n   {\n            "a"  :  {}  ,\n     "b":{}\n }\n    }',
  comments:
    '// top\n{\n  // about servers\n  "mcpServers": { // here\n    // first\n    "a": {}, // a\n    /* b */ "b": {} // last\n    // end\n  }, // behind\n}\n// bottom\n',
  'only comments inside': '{\n  "mcpServers": {\n    // none yet\n  } /* x */\n}\n',
  'a comment over lines': '{"mcpServers": { /* a\n b */ "a": {} }}',
  'trailing commas': '{\n  "mcpServers": {\n    "a": {},\n  },\n}',
  'a name twice': '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}',
  'commas in comments and texts': '{\n  "mcpServers": {\n    "a,b": ",", // , ,\n    "c": "//"\n  }\n}',
};

for (const [description, document] of Object.entries(documents)) {
  for (const [variant, text] of [
    ['as it is', document],
    ['with CRLF', document.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${document}`],
  ] as const) {
    t.test(`${description}, ${variant}`, async (t) => {
      const { connect, disconnect, read, has, context, folder } = createAgentFolder(t, text);
      await connect();
      const after = read();
      t.equal(after.startsWith('\uFEFF'), text.startsWith('\uFEFF'));
      if (variant === 'with CRLF' && document.includes('\n')) t.notMatch(after, /[^\r]\n/);
      const [original, updated] = [
        parse(text.slice(text.startsWith('\uFEFF') ? 1 : 0)) ?? {},
        parse(after.replace('\uFEFF', '')),
      ];
      const servers = { 'vp-shop': entry.value, ...original.mcpServers };
      t.same(updated, { ...original, mcpServers: servers });
      await connect('bank');
      await disconnect('bank');
      t.equal(read(), after, 'a second instance leaves nothing');
      await replaceToken(folder, 'shop', createToken('shop', 'b'), context);
      t.equal(read(), after.replace(createToken('shop'), createToken('shop', 'b')));
      await disconnect();
      t.equal(read(), text);
      t.notOk(has('.claude'));
    });
  }
}

const comment = fc.constantFrom('', ' ', '\n', '\r\n', '\t', ' // a, "b" {\n', '/* , } */', '\n\n   ');
/** Random documents with unusual layouts. */
const layouts = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.json({ maxDepth: 0 }),
    fc.string().map((text) => JSON.stringify(text)),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .tuple(
      fc.array(fc.tuple(comment, fc.string(), comment, tie('value'), comment), { maxLength: 3 }),
      comment,
      fc.boolean(),
    )
    .map(([members, end, trailing]) => {
      const written = members.map(([a, name, b, value, c]) => `${a}${JSON.stringify(`k${name}`)}${b}:${value}${c}`);
      return `{${written.join(',')}${trailing && written.length > 0 ? ',' : ''}${end}}`;
    }),
  array: fc
    .tuple(fc.array(fc.tuple(comment, tie('value'), comment), { maxLength: 3 }), comment)
    .map(([items, end]) => `[${items.map((parts) => parts.join('')).join(',')}${end}]`),
}));
const arbitraryDocuments = fc
  .tuple(comment, layouts.object, comment, layouts.object, layouts.array, fc.nat({ max: 3 }), comment)
  .map(([start, first, space, servers, enabled, shape, end]) => {
    const inside = first.slice(1, -1).replace(/,(\s*(\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)?\s*)*$/, '');
    const members = [
      ...(shape & 1 ? [`"mcpServers"${space}:${servers}`] : []),
      ...(shape & 2 ? [`${space}"enabledMcpjsonServers":${enabled}`] : []),
    ];
    const isBare = parse(`{${inside}}`) === undefined || Object.keys(parse(`{${inside}}`)).length === 0;
    return `${start}{${members.join(',')}${members.length > 0 && !isBare ? ',' : ''}${inside}${end}}${end}`;
  });

t.test('an entry is added to and removed from any document without a trace', async (t) => {
  t.plan(2);
  for (const added of [entry, buildEnabledServerEntry('shop')]) {
    fc.assert(
      fc.property(arbitraryDocuments, (text) => {
        const errors: ParseError[] = [];
        const original = parse(text, errors, { allowTrailingComma: true });
        fc.pre(errors.length === 0);
        const { edits, made } = buildAddEdits('f', text, added);
        const [edit] = edits;
        if (!edit || !made) return false;
        const after = applyEdits(text, edits);
        const faults: ParseError[] = [];
        const updated = parse(after, faults, { allowTrailingComma: true });
        const expectedText =
          added.type === 'array'
            ? { ...original, [added.container]: [added.value, ...(original[added.container] ?? [])] }
            : { ...original, [added.container]: { [added.name]: added.value, ...original[added.container] } };
        if (faults.length > 0 || JSON.stringify(sorted(updated)) !== JSON.stringify(sorted(expectedText))) return false;
        const back = undoAddition(recordAddition('f', text, edit, made), after);
        if (back === 'changed' || back.text !== text) return false;
        // Without the record, and changed since: the values are as before.
        const rest = removeEntry('f', `${after}\n`, added, 'entry') ?? '';
        const left = parse(rest, faults, { allowTrailingComma: true });
        const [empty, unchanged] = [added.type === 'array' ? [] : {}, original[added.container]];
        const expected = { ...original, [added.container]: unchanged ?? empty };
        return faults.length === 0 && JSON.stringify(sorted(left)) === JSON.stringify(sorted(expected));
      }),
      { numRuns: 600 },
    );
    t.pass(added.container);
  }
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, firstText]) => [name, sorted(firstText)]),
  );
}

t.test('a missing file is created with mode 0600 and removed again', async (t) => {
  const { connect, disconnect, has, file, read, folder } = createAgentFolder(t);
  await connect();
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.same(JSON.parse(read()), { mcpServers: { 'vp-shop': entry.value } });
  t.same(JSON.parse(read('.claude/settings.local.json')), { enabledMcpjsonServers: ['vp-shop'] });
  t.ok(has('vp-test-agent.md'));
  const guide = join(folder, 'vp-test-agent.md');
  t.equal(statSync(guide).mode & 0o777, 0o644 & ~process.umask(), 'what is no secret is as any other file');
  await disconnect();
  t.same(readdirSync(folder), []);
});

t.test('a link stays a link, and its target keeps its mode', async (t) => {
  const { root, connect, disconnect, file } = createAgentFolder(t, '{}');
  const target = join(root, 'real.json');
  renameSync(file, target);
  symlinkSync('../real.json', file);
  chmodSync(target, 0o640);
  await connect();
  t.ok(lstatSync(file).isSymbolicLink());
  t.match(readFileSync(target, 'utf8'), 'vp-shop');
  t.equal(statSync(target).mode & 0o777, 0o640);
  await disconnect();
  t.ok(lstatSync(file).isSymbolicLink());
  t.equal(readFileSync(target, 'utf8'), '{}');
});

/** root may write everywhere, so the process changes its user for a moment. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  const isSuperuser = process.getuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}

t.test('a file in an unwritable folder stays unchanged', async (t) => {
  const { folder, file, context } = createAgentFolder(t, '{"a": 1}');
  chmodSync(file, 0o644);
  chmodSync(folder, 0o555);
  await asOrdinaryUser(async () => {
    const error = await rewriteFile(file, () => '{"a": 2}', context.random).catch((thrown: unknown) => thrown);
    t.match(error, { code: 'FOLDER_FILE_UNWRITABLE', message: /EACCES/ });
  });
  chmodSync(folder, 0o755);
  t.equal(readFileSync(file, 'utf8'), '{"a": 1}');
  t.same(readdirSync(folder), ['.mcp.json']);
});

t.test('changes that another process makes meanwhile are kept', async (t) => {
  const { folder, file, context } = createAgentFolder(t, '{"n": 0}');
  let writes = 0;
  const add = (text: string | undefined): string => {
    // The other process writes between our read and our write, twice.
    if (writes < 2) writeFileSync(file, `{"n": ${++writes}}`);
    return (text ?? '').replace('}', ', "vp": true}');
  };
  await rewriteFile(file, add, context.random);
  t.equal(readFileSync(file, 'utf8'), '{"n": 2, "vp": true}');
  const always = (): string => {
    writeFileSync(file, `{"n": ${++writes}}`);
    return 'ours';
  };
  await t.rejects(rewriteFile(file, always, context.random), { code: 'FOLDER_FILE_BUSY' });
  t.equal(readFileSync(file, 'utf8'), `{"n": ${writes}}`);
  const created = join(folder, 'new.json');
  let isCreated = false;
  await rewriteFile(
    created,
    (text) => {
      if (!isCreated) writeFileSync(created, 'theirs');
      isCreated = true;
      return `${text ?? 'none'}+ours`;
    },
    context.random,
  );
  t.equal(readFileSync(created, 'utf8'), 'theirs+ours');
  t.same(readdirSync(folder).sort(), ['.mcp.json', 'new.json']);
});

t.test('what a killed process left of its write is removed by the next one', async (t) => {
  const { connect, disconnect, folder } = createAgentFolder(t);
  const killed = spawnSync(process.execPath, ['--version']).pid;
  const leave = (writer: number): void =>
    writeFileSync(join(folder, `.vp-test-agent.md.${writer}-abcd_-12.part`), 'a part');
  leave(killed);
  leave(process.pid);
  writeFileSync(join(folder, '.vp-test-agent.md.mine.part'), 'of the user');
  await connect();
  await disconnect();
  t.same(readdirSync(folder), ['.vp-test-agent.md.mine.part', `.vp-test-agent.md.${process.pid}-abcd_-12.part`].sort());
});

t.test('an invalid file is reported with line and column and stays unchanged', async (t) => {
  for (const [text, code, values] of [
    ['{\n  "a": 1,\n  "b": tru\n}', 'FOLDER_FILE_BROKEN', { line: 3, column: 8 }],
    ['{"mcpServers": {', 'FOLDER_FILE_BROKEN', { line: 1 }],
    ['{} {}', 'FOLDER_FILE_BROKEN', { line: 1, column: 4 }],
    ['[]', 'FOLDER_FILE_SHAPE', { expected: 'an object' }],
    ['{"mcpServers": []}', 'FOLDER_FILE_SHAPE', { member: 'mcpServers' }],
    ['{"mcpServers": {"vp-shop": {"command": "x"}}}', 'FOLDER_ENTRY_FOREIGN', { name: 'vp-shop' }],
  ] as const) {
    const { connect, read } = createAgentFolder(t, text);
    const error = await connect().catch((thrown: unknown) => thrown);
    t.ok(error instanceof VpError);
    t.match(error, { code, values });
    t.equal(read(), text);
  }
  const { connect, file } = createAgentFolder(t, Buffer.from([0x7b, 0xff, 0x7d]));
  await t.rejects(connect(), { code: 'FOLDER_FILE_UNREADABLE' });
  t.same(readFileSync(file), Buffer.from([0x7b, 0xff, 0x7d]));
});

t.test('only what vp added is removed from files that were changed since', async (t) => {
  const { connect, disconnect, folder, file, read, has } = createAgentFolder(t);
  await connect();
  await connect('bank', { token: createToken('bank') });
  const more = read().replace('"mcpServers": {', '// mine\n  "x": 1,\n  "mcpServers": {\n    "own": {"command": "y"},');
  writeFileSync(file, more);
  mkdirSync(join(folder, '.claude'), { recursive: true });
  writeFileSync(join(folder, 'vp-test-agent.md'), `${read('vp-test-agent.md')}\nMy words.\n`);
  await disconnect();
  t.match(read(), '"own": {"command": "y"},');
  t.match(read(), 'vp-bank');
  t.notMatch(read(), 'vp-shop');
  t.same(JSON.parse(read('.claude/settings.local.json')), { enabledMcpjsonServers: ['vp-bank'] });
  await disconnect('bank');
  t.same(parse(read()), { x: 1, mcpServers: { own: { command: 'y' } } });
  t.match(read(), '// mine');
  t.notOk(has('.claude'), 'what was made for the first goes with the last');
  t.match(read('vp-test-agent.md'), 'My words.');
  await t.rejects(disconnect(), { code: 'FOLDER_NOT_CONNECTED' });
});
