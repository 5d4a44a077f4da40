import t from 'tap';
import { escapeUnsafe, escapeUnsafeLine } from '../../src/report/escape-unsafe.ts';
import { formatDuration, formatSize } from '../../src/report/measures.ts';

t.test('terminal control characters are escaped', async (t) => {
  t.equal(escapeUnsafe('a\u001b[2Jb'), 'a\\u001b[2Jb');
  t.equal(escapeUnsafe('bell\u0007 del\u007f csi\u009b31m'), 'bell\\u0007 del\\u007f csi\\u009b31m');
  t.equal(escapeUnsafe('\u0000'), '\\u0000');
});

t.test('direction control characters are escaped', async (t) => {
  t.equal(escapeUnsafe('user\u202e\u2066txt'), 'user\\u202e\\u2066txt');
});

t.test('a carriage return cannot overwrite the line', async (t) => {
  t.equal(escapeUnsafe('real\rfake'), 'real\\rfake');
  t.equal(escapeUnsafe('one\r\ntwo'), 'one\ntwo');
});

t.test('line feeds and tabs stay, unless it must be one line', async (t) => {
  t.equal(escapeUnsafe('a\tb\nc'), 'a\tb\nc');
  t.equal(escapeUnsafeLine('a\tb\nc'), 'a\\tb\\nc');
});

t.test('letters of every script stay, lone surrogates are replaced', async (t) => {
  t.equal(escapeUnsafe('Grüße 日本 🎉'), 'Grüße 日本 🎉');
  t.equal(escapeUnsafe('x\ud800y'), 'x\ufffdy');
});

t.test('durations have units that fit', async (t) => {
  t.same([0, 0.04, 0.44, 9.94, 9.96, 38.4, 999, 1234, 59_990, 60_000, 125_400].map(formatDuration), [
    '0 ms',
    '0 ms',
    '0.4 ms',
    '9.9 ms',
    '10 ms',
    '38 ms',
    '999 ms',
    '1.23 s',
    '59.99 s',
    '1 min 0 s',
    '2 min 5 s',
  ]);
});

t.test('sizes have units that fit', async (t) => {
  t.same([0, 999, 1000, 1234, 999_999, 10_485_760].map(formatSize), [
    '0 B',
    '999 B',
    '1 kB',
    '1.2 kB',
    '1 MB',
    '10.5 MB',
  ]);
});
