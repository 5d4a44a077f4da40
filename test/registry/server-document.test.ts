import t from 'tap';
import { readDocument } from '../../src/registry/server-document.ts';
import { aServer } from './published.ts';

const good = aServer('com.example/hub');

function problemsOf(value: unknown): string[] {
  const read = readDocument(value);
  return 'problems' in read ? read.problems.map(({ where, problem }) => `${where} ${problem}`) : [];
}

const remote = (more: object): object => ({ ...good, remotes: [{ type: 'streamable-http', ...more }] });

t.test('documents as the reference has them are read', async (t) => {
  const packaged = {
    ...good,
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
  t.same(problemsOf(good), []);
  t.same(problemsOf(packaged), []);
  for (const version of ['1.0.0', '2.0.0-beta.1+build.5', '2026-11-21', 'v1', '1.0.x86', 'max'])
    t.same(problemsOf({ ...good, version }), [], version);
});

t.test('every problem is told with its place, once, and not those of other kinds of things', async (t) => {
  const bad = {
    ...good,
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
  t.same(problemsOf(bad), [
    '.description has more than 100 characters',
    '.name must be a domain, reversed, then a slash and a name: com.example/server',
    '.packages[0].fileSha256 must be a SHA-256 in 64 small hexadecimal digits',
    '.packages[1] lacks `registryType`',
    '.packages[1] lacks `identifier`',
    '.packages[1] lacks `transport`',
    '.remotes[0].url must be an https address, without spaces',
    '.remotes[1].type must be one of streamable-http, sse',
    '.remotes[2] lacks `url`',
    '.remotes[3] lacks `type`',
    '.version must be a string',
  ]);
  for (const value of [null, 5, 'text', [], true]) t.ok(problemsOf(value).length > 0, JSON.stringify(value));
  t.same(problemsOf({}), [' lacks `name`', ' lacks `description`', ' lacks `version`']);
});

t.test('the rules that the schema does not have', async (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ...good, $schema: undefined }, /^\.\$schema must be https:/],
    [{ ...good, $schema: 'https://example.com/other.json' }, /^\.\$schema must be/],
    [{ ...good, remote: [] }, /^ does not know `remote`/],
    [{ ...good, name: 'example/hub' }, /^\.name must begin with a domain/],
    [{ ...good, name: '-com.example-/hub' }, /^\.name must begin with a domain/],
    [{ ...good, name: 'com.example/hub-' }, /^\.name must end/],
    [{ ...good, name: 'com.example/..' }, /^\.name must end/],
    [{ ...good, title: '   ' }, /^\.title has nothing/],
    [{ ...good, version: '' }, /^\.version must be made of|^\.version has nothing/],
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
    ].map((version) => [{ ...good, version }, /^\.version (is|must)/] as const),
    [{ ...good, websiteUrl: 'javascript:alert(1)' }, /^\.websiteUrl must be an https/],
    [{ ...good, icons: [{ src: 'data:image/png;base64,AAAA' }] }, /^\.icons\[0\]\.src must be an https/],
    [{ ...good, repository: { url: 'http://code.example.com', source: 'x' } }, /^\.repository\.url must/],
    [
      { ...good, repository: { url: 'https://c.example.com', source: 'x', subfolder: '../..' } },
      /^\.repository\.subfolder/,
    ],
    [{ ...good, _meta: { 'io.modelcontextprotocol.registry/official': { isLatest: true } } }, /^\._meta may hold/],
    [
      { ...good, _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { x: 'y'.repeat(4_100) } } },
      /^\._meta has more/,
    ],
    [remote({ url: 'http://mcp.example.com/mcp' }), /^\.remotes\[0\]\.url must be an https/],
    [remote({ url: 'https://localhost/mcp' }), /leads to a loopback/],
    [remote({ url: 'https://127.1:8443/mcp' }), /leads to a loopback/],
    [remote({ url: 'https://[::ffff:169.254.169.254]/' }), /leads to a link-local/],
    [remote({ url: 'https://ana:secret@mcp.example.com/' }), /a name or a password/],
    [remote({ url: 'https://mcp.example.com/#x' }), /a fragment/],
    [remote({ url: 'https://mcp.example.com/{slug}' }), /does not say what \{slug\} stands for/],
    [remote({ url: 'https://mcp.example.com/{constructor}', variables: {} }), /does not say what \{constructor\}/],
    [remote({ url: 'https://{' }), /is no address/],
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
    [remote({ url: 'https://a.example/', headers: [{ name: 'X: y' }] }), /no name of a header/],
    [
      { ...good, packages: [{ registryType: 'npm', identifier: 'a b', transport: { type: 'stdio' } }] },
      /identifier has spaces/,
    ],
    [
      { ...good, packages: [{ registryType: 'npm', identifier: 'a', version: '^1', transport: { type: 'stdio' } }] },
      /\.version is a range/,
    ],
    [
      {
        ...good,
        packages: [{ registryType: 'npm', identifier: 'a', transport: { type: 'sse', url: 'http://localhost:{P}' } }],
      },
      /does not say what \{P\}/,
    ],
  ];
  for (const [value, meant] of cases) {
    const found = problemsOf(JSON.parse(JSON.stringify(value)));
    t.ok(
      found.some((problem) => meant.test(problem)),
      `${meant}: ${found.join('; ')}`,
    );
  }
});

t.test('texts that would look like others are refused, wherever they stand', async (t) => {
  const unseen = ['\u0000', '\u001b[2J', '\u202e', '\u2066', '\u200b', '\ufeff', '\u0085', '\u{e0041}', '\ud800'];
  for (const character of unseen) {
    t.match(
      problemsOf({ ...good, description: `Hub${character}` }),
      [/^\.description has a character .*U\+/],
      escape(character),
    );
    t.match(problemsOf(remote({ url: 'https://a.example/', variables: { [`x${character}`]: {} } })), [
      /a member whose name/,
    ]);
  }
  t.same(problemsOf({ ...good, title: 'Ünïcödé 工具 🛠 \u05d0\u05d1' }), [], 'letters of any language are letters');
});

t.test('a document that nests without end, or is made to take long, is refused at once', async (t) => {
  const nested = JSON.parse(`{"_meta":{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`);
  t.match(problemsOf({ ...good, ...nested }), [/nests deeper/]);
  const started = performance.now();
  problemsOf({ ...good, websiteUrl: `https://${'a'.repeat(60_000)}` });
  problemsOf(remote({ url: `https://a.example/${'{x}'.repeat(20_000)}` }));
  problemsOf({ ...good, version: `1.${'x.'.repeat(30_000)}` });
  problemsOf({ ...good, repository: { url: 'https://a.example', source: 'x', subfolder: `${'a/'.repeat(4_000)}!` } });
  const many = readDocument({ ...good, packages: Array.from({ length: 5_000 }, () => ({})) });
  t.equal('problems' in many && many.problems.length, 100);
  t.ok(performance.now() - started < 10_000, `${performance.now() - started} ms`);
  const polluting = JSON.parse('{"__proto__":{"polluted":true}}');
  t.ok(problemsOf({ ...good, remotes: [polluting] }).length > 0);
  t.notOk('polluted' in {});
});
