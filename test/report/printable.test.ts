import t from 'tap';
import { durationText, sizeText } from '../../src/report/measures.ts';
import { printable, printableLine } from '../../src/report/printable.ts';

t.test('nothing that a terminal obeys gets through', async (t) => {
  t.equal(printable('a\u001b[2Jb'), 'a\\u001b[2Jb');
  t.equal(printable('bell\u0007 del\u007f csi\u009b31m'), 'bell\\u0007 del\\u007f csi\\u009b31m');
  t.equal(printable('\u0000'), '\\u0000');
});

t.test('text cannot turn its direction around', async (t) => {
  t.equal(printable('user\u202e\u2066txt'), 'user\\u202e\\u2066txt');
});

t.test('a carriage return cannot overwrite the line', async (t) => {
  t.equal(printable('real\rfake'), 'real\\rfake');
  t.equal(printable('one\r\ntwo'), 'one\ntwo');
});

t.test('line feeds and tabs stay, unless it must be one line', async (t) => {
  t.equal(printable('a\tb\nc'), 'a\tb\nc');
  t.equal(printableLine('a\tb\nc'), 'a\\tb\\nc');
});

t.test('letters of every script stay, halves of a character do not', async (t) => {
  t.equal(printable('Grüße 日本 🎉'), 'Grüße 日本 🎉');
  t.equal(printable('x\ud800y'), 'x\ufffdy');
});

t.test('durations have units that fit', async (t) => {
  t.same([0, 0.04, 0.44, 9.94, 9.96, 38.4, 999, 1234, 59_990, 60_000, 125_400].map(durationText), [
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
  t.same([0, 999, 1000, 1234, 999_999, 10_485_760].map(sizeText), [
    '0 B',
    '999 B',
    '1 kB',
    '1.2 kB',
    '1 MB',
    '10.5 MB',
  ]);
});
