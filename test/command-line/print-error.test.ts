import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { printError } from '../../src/command-line/print-error.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

function print(thrown: unknown, mode: { json?: boolean; debug?: boolean } = {}, stderr = {}) {
  const { environment, written } = memoryEnvironment({ stderr });
  const error = printError(thrown, { json: false, debug: false, ...mode }, environment);
  return { ...written, exit: error.row.exit, document: mode.json ? JSON.parse(written.stdout).error : undefined };
}

const missing = (context = {}) => vpError('FLAG_VALUE_MISSING', { flag: '--port', placeholder: '<port>' }, context);

t.test('the location is between the message and the fix', async (t) => {
  const { stderr } = print(missing({ location: { file: 'a.md', line: 3, column: 7 } }));
  t.equal(stderr, 'vp: --port needs a value (FLAG_VALUE_MISSING)\n    a.md:3:7\n    write --port <port>\n');
  t.match(print(missing({ location: { file: 'a.md' } })).stderr, /^ {4}a\.md$/m);
});

t.test('the code of a connection and that of the error share their brackets', async (t) => {
  const error = vpError('UPSTREAM_UNREACHABLE', {
    connection: 'dead',
    problem: 'nothing listens there (ECONNREFUSED)',
  });
  t.match(print(error).stderr, /nothing listens there \(ECONNREFUSED, UPSTREAM_UNREACHABLE\)\n/);
});

t.test('private details are shown only with debug', async (t) => {
  const error = missing({ detail: 'said the disk' });
  t.notMatch(print(error).stderr, 'said the disk');
  t.notMatch(print(error, { json: true }).stdout, 'said the disk');
  t.match(print(error, { debug: true }).stderr, '    said the disk');
  t.equal(print(error, { debug: true, json: true }).document.detail, 'said the disk');
});

t.test('unexpected errors are INTERNAL, with how to report them', async (t) => {
  const { stderr, exit } = print(new TypeError('undefined is not a function'));
  t.equal(exit, 4);
  t.match(stderr, '(INTERNAL)');
  t.match(stderr, /--log-level debug.*report them with the version, vp \d/);
  t.notMatch(stderr, 'undefined is not');
  t.match(print(new TypeError('undefined is not a function'), { debug: true }).stderr, /undefined is not.*\n +at /);
  t.match(print('a text', { debug: true }).stderr, 'a text');
  t.equal(print(null).exit, 4);
});

t.test('several problems are listed with their positions, and are in the document', async (t) => {
  const diagnostics = [
    { message: 'no title', cure: 'write one', range: { start: { line: 1, column: 2 } } },
    { message: 'no id', line: 4 },
    { where: 'body.text', problem: 'must be text' },
  ];
  const { stderr } = print(missing({ diagnostics }));
  t.match(stderr, '    - 1:2 no title: write one\n    - 4 no id\n    - body.text must be text\n');
  t.same(print(missing({ diagnostics }), { json: true }).document.diagnostics, diagnostics);
});

t.test('on a terminal sentences are wrapped to its width at spaces, ignoring colours', async (t) => {
  const flag = `--${'very '.repeat(8)}long`;
  const diagnostics = [{ message: 'no title '.repeat(6).trim(), cure: 'write one', line: 3 }];
  const error = vpError('FLAG_VALUE_MISSING', { flag, placeholder: `<${'a '.repeat(30)}>` }, { diagnostics });
  const { stderr } = print(error, {}, { isTTY: true, columns: 40 });
  const lines = stripVTControlCharacters(stderr).trimEnd().split('\n');
  t.ok(
    lines.every((line) => line.length <= 40),
    stderr,
  );
  t.match(lines[0], /^vp: --very very/);
  t.match(lines[1], /^ {4}\S.*|needs a value/);
  t.match(lines.join(' ').replaceAll(/ +/g, ' '), 'needs a value (FLAG_VALUE_MISSING) write --very');
  t.match(lines.at(-1), /^ {6}\S/);
  t.equal(print(error).stderr.split('\n').length, 4, 'elsewhere each stays on its line');
});

t.test('terminals get colours', async (t) => {
  t.match(print(missing(), {}, { isTTY: true }).stderr, '\u001b[31mvp:');
  t.notMatch(print(missing()).stderr, '\u001b');
});
