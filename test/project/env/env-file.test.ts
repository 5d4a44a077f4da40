import t from 'tap';
import type { ConfigProblem } from '../../../src/project/config-problem.ts';
import { parseEnvFile } from '../../../src/project/env/env-file.ts';
import { formatShort } from '../sample-configs.ts';

function parse(text: string) {
  const problems: ConfigProblem[] = [];
  const entries = parseEnvFile(text, '.env', (problem) => problems.push(problem));
  const values = Object.fromEntries([...entries].map(([name, { value }]) => [name, value]));
  return { values, problems, problemCodes: problems.map(formatShort) };
}

t.test('plain lines, comments, blank lines, export and spaces', async (t) => {
  const { values, problemCodes } = parse('# secrets\n\nA=1\nexport B = two words \n  _c=3\nD=\n#E=5\n');
  t.same(values, { A: '1', B: 'two words', _c: '3', D: '' });
  t.same(problemCodes, []);
});

t.test('line ends of every system, and a byte order mark', async (t) => {
  t.same(parse('\ufeffA=1\r\nB=2\rC=3').values, { A: '1', B: '2', C: '3' });
});

t.test('a comment begins only after white space', async (t) => {
  t.same(parse('A=ab#cd\nB=ab #cd\nC=#x\nD= # x\nE="a # b" # c\n').values, {
    A: 'ab#cd',
    B: 'ab',
    C: '',
    D: '',
    E: 'a # b',
  });
});

t.test('quotes: single ones are literal, double ones have escapes', async (t) => {
  const { values, problemCodes } = parse(`A='a "b" \\n $x'\nB="a 'b'\\n\\t\\"\\\\\\$\\q"\nC=" padded "\nD=''\n`);
  t.same(values, { A: 'a "b" \\n $x', B: "a 'b'\n\t\"\\$\\q", C: ' padded ', D: '' });
  t.same(problemCodes, []);
});

t.test('a value may contain anything else, and nothing is expanded', async (t) => {
  const { values } = parse('URL=postgres://u:p@h/d?x=1&y=2\nTOKEN=eyJ.abc==\nREF=${A}$B\nQ=it\'s "so"\n');
  t.same(values, { URL: 'postgres://u:p@h/d?x=1&y=2', TOKEN: 'eyJ.abc==', REF: '${A}$B', Q: 'it\'s "so"' });
});

t.test('each malformed line is reported with its position, and the rest is read', async (t) => {
  const { values, problemCodes } = parse(
    'A=1\nnothing here\n=x\n9LIVES=1\nA-B=1\nB=2\n  C="open\nD=\'x\' y\nE="a\0"\n',
  );
  t.same(values, { A: '1', B: '2' });
  t.same(problemCodes, [
    'CONFIG_ENV_LINE_INVALID 2:1',
    'CONFIG_ENV_LINE_INVALID 3:1',
    'CONFIG_ENV_LINE_INVALID 4:1',
    'CONFIG_ENV_LINE_INVALID 5:1',
    'CONFIG_ENV_LINE_INVALID 7:3',
    'CONFIG_ENV_LINE_INVALID 8:1',
    'CONFIG_ENV_LINE_INVALID 9:1',
  ]);
});

t.test('a duplicate name is a warning, and the last one wins', async (t) => {
  const { values, problems, problemCodes } = parse('A=1\nB=2\nA=3\n');
  t.same(values, { A: '3', B: '2' });
  t.same(problemCodes, ['CONFIG_ENV_NAME_DOUBLED 3:1']);
  t.match(problems[0], { severity: 'warning', message: '`A` is already set in line 1; this one wins' });
});

t.test('no problem repeats a value or a line', async (t) => {
  const { problems } = parse("hunter2\nA=\"hunter2\nB='hunter2' hunter2\nhunter-2=hunter2\n");
  t.equal(problems.length, 4);
  t.notMatch(JSON.stringify(problems), 'hunter');
});

t.test('names such as __proto__ are ordinary names', async (t) => {
  const entries = parseEnvFile('__proto__=x\nconstructor=y\n', '.env', () => {});
  t.equal(entries.get('__proto__')?.value, 'x');
  t.equal(entries.get('toString'), undefined);
});

t.test('long lines are parsed in linear time', async (t) => {
  const { values } = parse(`A=${' #'.repeat(100_000)}\nB="${'\\'.repeat(200_000)}\nC=${' '.repeat(300_000)}x\n`);
  t.equal(values.C, 'x');
});
