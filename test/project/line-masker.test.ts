import t from 'tap';
import { createLineMasker } from '../../src/project/line-masker.ts';

function masked(text: string): (string | undefined)[] {
  const getLine = createLineMasker(text);
  return text.split('\n').map((_, index) => getLine(index + 1));
}

t.test('lines without a secret are unchanged', async (t) => {
  t.same(masked('a: b\n  password: ${DB_PASSWORD} # c\n  bearer_token: "${X}"'), [
    'a: b',
    '  password: ${DB_PASSWORD} # c',
    '  bearer_token: "${X}"',
  ]);
  t.equal(createLineMasker('a')(2), undefined);
});

t.test('literal values of secret keys are masked in every notation', async (t) => {
  t.same(masked('password: hunter2\n"password" : "hunter2"\nx: {bearer_token: hunter2, y: 1}\nPassword: hunter2'), [
    'password: [redacted]',
    '"password" : [redacted]',
    'x: {bearer_token: [redacted]',
    'Password: [redacted]',
  ]);
  t.same(masked('x: {bearer_token: ${A}, password: hunter2}'), ['x: {bearer_token: ${A}, password: [redacted]']);
  t.same(masked('password: ${A}hunter2'), ['password: [redacted]']);
});

t.test('a value that continues below its key is masked too', async (t) => {
  t.same(masked('password: |\n  hunter2\n  more\nname: x'), [
    'password: [redacted]',
    '  [redacted]',
    '  [redacted]',
    'name: x',
  ]);
  t.same(masked('  password:\n    hunter2\n  name: x')[1], '    [redacted]');
});

t.test('credentials within addresses are masked', async (t) => {
  t.same(masked('a: http://me:hunter2@app:80/x\nb: jdbc:postgresql://db/x?user=me&password=hunter2&ssl=1'), [
    'a: http://[redacted]@app:80/x',
    'b: jdbc:postgresql://db/x?user=[redacted]&password=[redacted]&ssl=1',
  ]);
});

t.test('long lines are cut', async (t) => {
  t.ok((createLineMasker(`a: ${'x'.repeat(100_000)}`)(1) ?? '').length < 210);
});
