import t from 'tap';
import { read, smallest, toldShort } from './samples.ts';

t.test('what is no YAML is told with line and column, and nothing else is', async (t) => {
  t.same(read('project:\n  name: a: b\n').told, ['CONFIG_YAML_INVALID 2:9']);
  t.same(read('project: {name: a\n').told, ['CONFIG_YAML_INVALID 2:1']);
  t.same(read(`${smallest}x: @y\n`).told, ['CONFIG_YAML_INVALID 6:4']);
  t.same(read('a: "b\n').told.length, 1);
});

t.test('several broken lines are told at once, each once', async (t) => {
  const { told } = read('a: @b\nc: d\ne: `f\ng: h: i: j\n');
  t.same(told, ['CONFIG_YAML_INVALID 1:4', 'CONFIG_YAML_INVALID 3:4', 'CONFIG_YAML_INVALID 4:4']);
});

t.test('a tab for indentation has its own cure', async (t) => {
  const { problems, told } = read('project:\n\tname: a\n');
  t.same(told.slice(0, 1), ['CONFIG_YAML_TAB 2:1']);
  t.match(problems[0]?.cure, 'use spaces');
});

t.test('a reference in braces without quotes has its own cure', async (t) => {
  const { problems } = read('targets: {auth: {bearer_token: ${API_TOKEN}}}\n');
  t.equal(problems[0]?.code, 'CONFIG_YAML_INVALID');
  t.match(problems[0]?.cure, 'inside braces a reference needs quotes');
});

t.test('a doubled key is told where it stands again, with everything else', async (t) => {
  const { told } = read(`${smallest}project:\n  name: b\ncolour: red\n`);
  t.same(told, ['CONFIG_KEY_DOUBLED 6:1', 'CONFIG_KEY_UNKNOWN 8:1']);
  t.same(read('project: {name: a, name: b}\ntargets: {http: {base_url: "http://a"}}\n').told, [
    'CONFIG_KEY_DOUBLED 1:20',
  ]);
});

t.test('anchors and aliases are refused, so no small file becomes a huge one', async (t) => {
  t.same(
    read(`${smallest}a: &x 1\nb: *x\n`).told.filter((code) => /ALIAS/.test(code)),
    ['CONFIG_YAML_ALIAS 6:7', 'CONFIG_YAML_ALIAS 7:4'],
  );
  t.ok(read(`${smallest}<<: {a: 1}\n`).told.includes('CONFIG_YAML_ALIAS 6:1'));
  const levels = Array.from({ length: 30 }, (_, index) => `k${index + 1}: &k${index + 1} [${`*k${index},`.repeat(9)}]`);
  t.equal(read(`k0: &k0 [1]\n${levels.join('\n')}\n`).config, undefined);
});

t.test('nesting without end is told, at any depth', async (t) => {
  t.ok(read(`a: ${'['.repeat(40)}${']'.repeat(40)}\n`).told.some((code) => code.startsWith('CONFIG_YAML_TOO_DEEP')));
  t.ok(read(`a: ${'['.repeat(100_000)}`).told.some((code) => code.startsWith('CONFIG_YAML_TOO_DEEP')));
});

t.test('two documents in one file are told', async (t) => {
  t.match(read(`${smallest}---\n${smallest}`).told, [/^CONFIG_YAML_INVALID/]);
});

t.test('keys that are no words are told', async (t) => {
  t.ok(read(`${smallest}? [a, b]\n: c\n`).told.includes('CONFIG_YAML_INVALID 6:3'));
  t.ok(read(`${smallest}: c\n`).told.some((code) => code.startsWith('CONFIG_YAML_INVALID 6')));
});

t.test('windows line ends and a byte order mark do no harm', async (t) => {
  t.same(read(`\ufeff${smallest.replaceAll('\n', '\r\n')}`).told, []);
});

t.test('keys like __proto__ are unknown keys like others', async (t) => {
  t.same(read(`${smallest}__proto__: {a: 1}\nconstructor: x\ntoString: y\n`).told, [
    'CONFIG_KEY_UNKNOWN 6:1',
    'CONFIG_KEY_UNKNOWN 7:1',
    'CONFIG_KEY_UNKNOWN 8:1',
  ]);
});

t.test('what the YAML reader says never repeats the text, which may be a secret', async (t) => {
  const broken = [
    'x: "y" hunter2',
    'x: {a: b} hunter2',
    'x: *hunter2',
    'x: !hunter2 y: z',
    '%hunter2\nx',
    'x: |hunter2',
  ];
  for (const line of broken) {
    const { problems } = read(`${line}\n`);
    t.ok(problems.length > 0, line);
    t.notMatch(problems.map(({ message, cure }) => message + cure).join(), 'hunter2', line);
  }
});

t.test('a file of one long line is read', async (t) => {
  const { problems } = read(`project: {name: ${'x'.repeat(500_000)}}\n`);
  t.ok(problems.map(toldShort).includes('CONFIG_VALUE_INVALID 1:17'));
  t.ok(problems.every(({ message, excerpt }) => message.length < 300 && (excerpt ?? '').length < 300));
});
