import t from 'tap';
import { maskedLines } from '../../src/project/mask.ts';

function masked(text: string): (string | undefined)[] {
  const lineOf = maskedLines(text);
  return text.split('\n').map((_, index) => lineOf(index + 1));
}

t.test('lines are shown as they are where they hold no secret', async (t) => {
  t.same(masked('a: b\n  password: ${DB_PASSWORD} # c\n  bearer_token: "${X}"'), [
    'a: b',
    '  password: ${DB_PASSWORD} # c',
    '  bearer_token: "${X}"',
  ]);
  t.equal(maskedLines('a')(2), undefined);
});

t.test('literal values of secret keys are hidden, however they are written', async (t) => {
  t.same(masked('password: hunter2\n"password" : "hunter2"\nx: {bearer_token: hunter2, y: 1}\nPassword: hunter2'), [
    'password: [redacted]',
    '"password" : [redacted]',
    'x: {bearer_token: [redacted]',
    'Password: [redacted]',
  ]);
  t.same(masked('x: {bearer_token: ${A}, password: hunter2}'), ['x: {bearer_token: ${A}, password: [redacted]']);
  t.same(masked('password: ${A}hunter2'), ['password: [redacted]']);
});

t.test('a value that goes on below its key is hidden too', async (t) => {
  t.same(masked('password: |\n  hunter2\n  more\nname: x'), [
    'password: [redacted]',
    '  [redacted]',
    '  [redacted]',
    'name: x',
  ]);
  t.same(masked('  password:\n    hunter2\n  name: x')[1], '    [redacted]');
});

t.test('credentials inside addresses are hidden', async (t) => {
  t.same(masked('a: http://me:hunter2@app:80/x\nb: jdbc:postgresql://db/x?user=me&password=hunter2&ssl=1'), [
    'a: http://[redacted]@app:80/x',
    'b: jdbc:postgresql://db/x?user=[redacted]&password=[redacted]&ssl=1',
  ]);
});

t.test('long lines are cut', async (t) => {
  t.ok((maskedLines(`a: ${'x'.repeat(100_000)}`)(1) ?? '').length < 210);
});
