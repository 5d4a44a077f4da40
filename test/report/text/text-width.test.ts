import t from 'tap';
import { fitToColumns, measureWidth } from '../../../src/report/text/text-width.ts';

t.test('wide letters and emoji take two columns, marks none', async (t) => {
  t.equal(measureWidth('plain'), 5);
  t.equal(measureWidth('文書'), 4);
  t.equal(measureWidth('🚀 go'), 5);
  t.equal(measureWidth('e\u0301'), 1);
  t.equal(measureWidth('ü'), 1);
  t.equal(measureWidth(''), 0);
});

t.test('a text that is too long ends with an ellipsis', async (t) => {
  t.equal(fitToColumns('document', 8), 'document');
  t.equal(fitToColumns('document', 5), 'docu…');
  t.equal(fitToColumns('文書文書', 6), '文書…');
  t.equal(fitToColumns('文書文書', 7), '文書文…');
  t.equal(fitToColumns('document', 1), '…');
  t.equal(fitToColumns('document', 0), '');
});
