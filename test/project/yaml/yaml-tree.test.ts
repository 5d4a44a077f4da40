import t from 'tap';
import { formatShort, minimalConfig, readConfig } from '../sample-configs.ts';

t.test('invalid YAML is reported with line and column, and nothing else is', async (t) => {
  t.same(readConfig('project:\n  name: a: b\n').problemCodes, ['CONFIG_YAML_INVALID 2:9']);
  t.same(readConfig('project: {name: a\n').problemCodes, ['CONFIG_YAML_INVALID 2:1']);
  t.same(readConfig(`${minimalConfig}x: @y\n`).problemCodes, ['CONFIG_YAML_INVALID 6:4']);
  t.same(readConfig('a: "b\n').problemCodes.length, 1);
});

t.test('several broken lines are reported at once, each once', async (t) => {
  const { problemCodes } = readConfig('a: @b\nc: d\ne: `f\ng: h: i: j\n');
  t.same(problemCodes, ['CONFIG_YAML_INVALID 1:4', 'CONFIG_YAML_INVALID 3:4', 'CONFIG_YAML_INVALID 4:4']);
});

t.test('a tab for indentation has its own fix', async (t) => {
  const { problems, problemCodes } = readConfig('project:\n\tname: a\n');
  t.same(problemCodes.slice(0, 1), ['CONFIG_YAML_TAB 2:1']);
  t.match(problems[0]?.cure, 'use spaces');
});

t.test('a reference in braces without quotes has its own fix', async (t) => {
  const { problems } = readConfig('targets: {auth: {bearer_token: ${API_TOKEN}}}\n');
  t.equal(problems[0]?.code, 'CONFIG_YAML_INVALID');
  t.match(problems[0]?.cure, 'inside braces a reference needs quotes');
});

t.test('a duplicate key is reported at its second position, with all other problems', async (t) => {
  const { problemCodes } = readConfig(`${minimalConfig}project:\n  name: b\ncolour: red\n`);
  t.same(problemCodes, ['CONFIG_KEY_DOUBLED 6:1', 'CONFIG_KEY_UNKNOWN 8:1']);
  t.same(readConfig('project: {name: a, name: b}\ntargets: {http: {base_url: "http://a"}}\n').problemCodes, [
    'CONFIG_KEY_DOUBLED 1:20',
  ]);
});

t.test('anchors and aliases are refused, so that a small file cannot become huge', async (t) => {
  t.same(
    readConfig(`${minimalConfig}a: &x 1\nb: *x\n`).problemCodes.filter((code) => /ALIAS/.test(code)),
    ['CONFIG_YAML_ALIAS 6:7', 'CONFIG_YAML_ALIAS 7:4'],
  );
  t.ok(readConfig(`${minimalConfig}<<: {a: 1}\n`).problemCodes.includes('CONFIG_YAML_ALIAS 6:1'));
  const levels = Array.from({ length: 30 }, (_, index) => `k${index + 1}: &k${index + 1} [${`*k${index},`.repeat(9)}]`);
  t.equal(readConfig(`k0: &k0 [1]\n${levels.join('\n')}\n`).config, undefined);
});

t.test('excessive nesting is reported, at any depth', async (t) => {
  t.ok(
    readConfig(`a: ${'['.repeat(40)}${']'.repeat(40)}\n`).problemCodes.some((code) =>
      code.startsWith('CONFIG_YAML_TOO_DEEP'),
    ),
  );
  t.ok(readConfig(`a: ${'['.repeat(100_000)}`).problemCodes.some((code) => code.startsWith('CONFIG_YAML_TOO_DEEP')));
});

t.test('two documents in one file are reported', async (t) => {
  t.match(readConfig(`${minimalConfig}---\n${minimalConfig}`).problemCodes, [/^CONFIG_YAML_INVALID/]);
});

t.test('keys that are not scalars are reported', async (t) => {
  t.ok(readConfig(`${minimalConfig}? [a, b]\n: c\n`).problemCodes.includes('CONFIG_YAML_INVALID 6:3'));
  t.ok(readConfig(`${minimalConfig}: c\n`).problemCodes.some((code) => code.startsWith('CONFIG_YAML_INVALID 6')));
});

t.test('Windows line ends and a byte order mark are accepted', async (t) => {
  t.same(readConfig(`\ufeff${minimalConfig.replaceAll('\n', '\r\n')}`).problemCodes, []);
});

t.test('keys like __proto__ are ordinary unknown keys', async (t) => {
  t.same(readConfig(`${minimalConfig}__proto__: {a: 1}\nconstructor: x\ntoString: y\n`).problemCodes, [
    'CONFIG_KEY_UNKNOWN 6:1',
    'CONFIG_KEY_UNKNOWN 7:1',
    'CONFIG_KEY_UNKNOWN 8:1',
  ]);
});

t.test('messages of the YAML reader never repeat the text, which may be a secret', async (t) => {
  const broken = [
    'x: "y" hunter2',
    'x: {a: b} hunter2',
    'x: *hunter2',
    'x: !hunter2 y: z',
    '%hunter2\nx',
    'x: |hunter2',
  ];
  for (const line of broken) {
    const { problems } = readConfig(`${line}\n`);
    t.ok(problems.length > 0, line);
    t.notMatch(problems.map(({ message, cure }) => message + cure).join(), 'hunter2', line);
  }
});

t.test('a file of one long line is read', async (t) => {
  const { problems } = readConfig(`project: {name: ${'x'.repeat(500_000)}}\n`);
  t.ok(problems.map(formatShort).includes('CONFIG_VALUE_INVALID 1:17'));
  t.ok(problems.every(({ message, excerpt }) => message.length < 300 && (excerpt ?? '').length < 300));
});
