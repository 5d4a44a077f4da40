import t from 'tap';
import { hasColours, paintFor } from '../../src/terminal/paint.ts';

const file = { write: () => true };
const terminal = { ...file, isTTY: true, columns: 120 };

t.test('colours are for terminals, unless a variable says otherwise', async (t) => {
  t.equal(hasColours(terminal, {}), true);
  t.equal(hasColours(file, {}), false);
  t.equal(hasColours(terminal, { NO_COLOR: '1' }), false);
  t.equal(hasColours(terminal, { NO_COLOR: '' }), true, 'an empty NO_COLOR says nothing');
  t.equal(hasColours(terminal, { TERM: 'dumb' }), false);
  t.equal(hasColours(file, { FORCE_COLOR: '1' }), true);
  t.equal(hasColours(file, { FORCE_COLOR: '', NO_COLOR: '1' }), true);
  t.equal(hasColours(terminal, { FORCE_COLOR: '0' }), false);
  t.equal(hasColours(terminal, { FORCE_COLOR: 'false' }), false);
});

t.test('styles change the text only with colours', async (t) => {
  t.equal(paintFor(file, {}).failed('no'), 'no');
  t.equal(paintFor(terminal, {}, true).failed('no'), 'no');
  t.equal(paintFor(terminal, {}).failed('no'), '\u001b[31mno\u001b[39m');
});

t.test('passed, failed and broken look different', async (t) => {
  const paint = paintFor(terminal, {});
  t.equal(new Set([paint.passed('x'), paint.failed('x'), paint.broken('x')]).size, 3);
});

t.test('sentences are wrapped on terminals only', async (t) => {
  t.equal(paintFor(terminal, {}).proseWidth, 120);
  t.equal(paintFor(file, { COLUMNS: '60' }).proseWidth, Number.POSITIVE_INFINITY);
});

t.test('the width is that of the stream, else of the variables, else 80', async (t) => {
  t.equal(paintFor(terminal, { COLUMNS: '40' }).width, 120);
  t.equal(paintFor(file, { COLUMNS: '40' }).width, 40);
  for (const COLUMNS of ['', 'wide', '-1', '0', '1.5']) t.equal(paintFor(file, { COLUMNS }).width, 80, COLUMNS);
});
