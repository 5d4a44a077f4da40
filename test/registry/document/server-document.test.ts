import t from 'tap';
import { readServerDocument } from '../../../src/registry/document/server-document.ts';
import { createServerDocument } from '../version-fixture.ts';

const validDocument = createServerDocument('com.example/hub');

function listProblems(value: unknown): string[] {
  const read = readServerDocument(value);
  return 'problems' in read ? read.problems.map(({ where, problem }) => `${where} ${problem}`) : [];
}

const remote = (more: object): object => ({ ...validDocument, remotes: [{ type: 'streamable-http', ...more }] });

t.test('documents like those of the reference are accepted', async (t) => {
  const packaged = {
    ...validDocument,
    title: 'Hub of Example',
    websiteUrl: 'https://example.com/hub',
    repository: { url: 'https://code.example.com/hub', source: 'gitlab', subfolder: 'src/hub' },
    icons: [{ src: 'https://example.com/hub.png', sizes: ['48x48', 'any'], theme: 'dark' }],
    packages: [
      {
        registryType: 'npm',
        identifier: '@example/hub',
        version: '1.0.2',
        transport: { type: 'streamable-http', url: 'http://localhost:{PORT}/{--path}/{file}' },
        runtimeArguments: [{ type: 'named', name: '--path', value: 'x' }],
        packageArguments: [{ type: 'positional', valueHint: 'file' }],
        environmentVariables: [{ name: 'PORT', default: '8080' }],
      },
      { registryType: 'oci', identifier: 'registry.example.com/hub:1.0.2', transport: { type: 'stdio' } },
    ],
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://vp.example.com/hub/{slug}/mcp',
        variables: { slug: { description: 'slug', isRequired: true } },
      },
      {
        type: 'sse',
        url: 'https://10.1.2.3/sse',
        headers: [{ name: 'X-Key', isSecret: true, value: '{key}', variables: { key: {} } }],
      },
    ],
    _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { tool: 'vp', nested: { deep: [1, null, true] } } },
  };
  t.same(listProblems(validDocument), []);
  t.same(listProblems(packaged), []);
  for (const version of ['1.0.0', '2.0.0-beta.1+build.5', '2026-11-21', 'v1', '1.0.x86', 'max'])
    t.same(listProblems({ ...validDocument, version }), [], version);
});

t.test('every problem is reported once with its path, without the problems of other kinds', async (t) => {
  const invalidDocument = {
    ...validDocument,
    name: 'nothing',
    description: 'x'.repeat(101),
    version: 5,
    remotes: [
      { type: 'streamable-http', url: 'ftp://x' },
      { type: 'stdio' },
      { type: 'sse' },
      { url: 'https://a.example' },
    ],
    packages: [{ registryType: 'npm', identifier: 'x', transport: { type: 'stdio' }, fileSha256: 'no' }, {}],
  };
  t.same(listProblems(invalidDocument), [
    '.description has more than 100 characters',
    '.name must be a reversed domain, a slash and a name: com.example/server',
    '.packages[0].fileSha256 must be a SHA-256 hash in 64 lower-case hexadecimal digits',
    '.packages[1] lacks `registryType`',
    '.packages[1] lacks `identifier`',
    '.packages[1] lacks `transport`',
    '.remotes[0].url must be an https URL without spaces',
    '.remotes[1].type must be one of streamable-http, sse',
    '.remotes[2] lacks `url`',
    '.remotes[3] lacks `type`',
    '.version must be a string',
  ]);
  for (const value of [null, 5, 'text', [], true]) t.ok(listProblems(value).length > 0, JSON.stringify(value));
  t.same(listProblems({}), [' lacks `name`', ' lacks `description`', ' lacks `version`']);
});

t.test('rules beyond the schema are enforced', async (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ...validDocument, $schema: undefined }, /^\.\$schema must be https:/],
    [{ ...validDocument, $schema: 'https://example.com/other.json' }, /^\.\$schema must be/],
    [{ ...validDocument, remote: [] }, /^ has an unknown member `remote`/],
    [{ ...validDocument, name: 'example/hub' }, /^\.name must begin with a reversed domain/],
    [{ ...validDocument, name: '-com.example-/hub' }, /^\.name must begin with a reversed domain/],
    [{ ...validDocument, name: 'com.example/hub-' }, /^\.name must end/],
    [{ ...validDocument, name: 'com.example/..' }, /^\.name must end/],
    [{ ...validDocument, title: '   ' }, /^\.title must not be empty/],
    [{ ...validDocument, version: '' }, /^\.version must consist of|^\.version must not be empty/],
    ...[
      'latest',
      '^1.0.0',
      '~1',
      '>=1.0',
      '1.x',
      '1.2.*',
      '*',
      '1.0 - 2.0',
      '1 || 2',
      '=1.0.0',
      '1.0.0,2.0.0',
      '1.0 0',
    ].map((version) => [{ ...validDocument, version }, /^\.version (is|must)/] as const),
    [{ ...validDocument, websiteUrl: 'javascript:alert(1)' }, /^\.websiteUrl must be an https/],
    [{ ...validDocument, icons: [{ src: 'data:image/png;base64,AAAA' }] }, /^\.icons\[0\]\.src must be an https/],
    [{ ...validDocument, repository: { url: 'http://code.example.com', source: 'x' } }, /^\.repository\.url must/],
    [
      { ...validDocument, repository: { url: 'https://c.example.com', source: 'x', subfolder: '../../..' } },
      /^\.repository\.subfolder/,
    ],
    [
      { ...validDocument, _meta: { 'io.modelcontextprotocol.registry/official': { isLatest: true } } },
      /^\._meta may contain only/,
    ],
    [
      { ...validDocument, _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { x: 'y'.repeat(4_100) } } },
      /^\._meta has more/,
    ],
    [remote({ url: 'http://mcp.example.com/mcp' }), /^\.remotes\[0\]\.url must be an https/],
    [remote({ url: 'https://localhost/mcp' }), /leads to a loopback/],
    [remote({ url: 'https://127.1:8443/mcp' }), /leads to a loopback/],
    [remote({ url: 'https://[::ffff:169.254.169.254]/' }), /leads to a link-local/],
    [remote({ url: 'https://ana:secret@mcp.example.com/' }), /a user name or password/],
    [remote({ url: 'https://mcp.example.com/#x' }), /a fragment/],
    [remote({ url: 'https://mcp.example.com/{slug}' }), /does not declare the variable \{slug\}/],
    [
      remote({ url: 'https://mcp.example.com/{constructor}', variables: {} }),
      /does not declare the variable \{constructor\}/,
    ],
    [remote({ url: 'https://{' }), /is not a valid URL/],
    [remote({ url: 'https://a.example/', headers: [{ name: 'X', isSecret: true, value: 'vph_123' }] }), /is a secret/],
    [remote({ url: 'https://a.example/', headers: [{ name: 'X', isSecret: true, default: 'k' }] }), /is a secret/],
    [
      remote({ url: 'https://a.example/{k}', variables: { k: { isSecret: true, value: 'vph_123' } } }),
      /remotes\[0\]\.variables\.k is a secret/,
    ],
    [
      remote({
        url: 'https://a.example/',
        headers: [{ name: 'X', value: 'Bearer {t}', variables: { t: { isSecret: true, default: 'vph_123' } } }],
      }),
      /headers\[0\]\.variables\.t is a secret/,
    ],
    [remote({ url: 'https://a.example/', headers: [{ name: 'X: y' }] }), /not a valid header name/],
    [
      { ...validDocument, packages: [{ registryType: 'npm', identifier: 'a b', transport: { type: 'stdio' } }] },
      /identifier contains spaces/,
    ],
    [
      {
        ...validDocument,
        packages: [{ registryType: 'npm', identifier: 'a', version: '^1', transport: { type: 'stdio' } }],
      },
      /\.version is a range/,
    ],
    [
      {
        ...validDocument,
        packages: [{ registryType: 'npm', identifier: 'a', transport: { type: 'sse', url: 'http://localhost:{P}' } }],
      },
      /does not declare the variable \{P\}/,
    ],
  ];
  for (const [value, expected] of cases) {
    const problems = listProblems(JSON.parse(JSON.stringify(value)));
    t.ok(
      problems.some((problem) => expected.test(problem)),
      `${expected}: ${problems.join('; ')}`,
    );
  }
});

t.test('texts with invisible characters are refused everywhere in a document', async (t) => {
  const invisibleCharacters = [
    '\u0000',
    '\u001b[2J',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
    '\u0085',
    '\u{e0041}',
    '\ud800',
  ];
  for (const character of invisibleCharacters) {
    t.match(
      listProblems({ ...validDocument, description: `Hub${character}` }),
      [/^\.description contains an invisible character .*U\+/],
      escape(character),
    );
    t.match(listProblems(remote({ url: 'https://a.example/', variables: { [`x${character}`]: {} } })), [
      /a member whose name/,
    ]);
  }
  t.same(
    listProblems({ ...validDocument, title: 'Ünïcödé 工具 🛠 \u05d0\u05d1' }),
    [],
    'letters of any language are letters',
  );
});

t.test('a deeply nested document, or one made to be slow, is refused quickly', async (t) => {
  const nested = JSON.parse(`{"_meta":{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`);
  t.match(listProblems({ ...validDocument, ...nested }), [/nests deeper/]);
  listProblems({ ...validDocument, websiteUrl: `https://${'a'.repeat(60_000)}` });
  listProblems(remote({ url: `https://a.example/${'{x}'.repeat(20_000)}` }));
  listProblems({ ...validDocument, version: `1.${'x.'.repeat(30_000)}` });
  listProblems({
    ...validDocument,
    repository: { url: 'https://a.example', source: 'x', subfolder: `${'a/'.repeat(4_000)}!` },
  });
  const many = readServerDocument({ ...validDocument, packages: Array.from({ length: 5_000 }, () => ({})) });
  t.equal('problems' in many && many.problems.length, 100);
  const polluting = JSON.parse('{"__proto__":{"polluted":true}}');
  t.ok(listProblems({ ...validDocument, remotes: [polluting] }).length > 0);
  t.notOk('polluted' in {});
});
