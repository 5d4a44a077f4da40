import t from 'tap';
import { fitted, widthOf } from '../../src/report/width.ts';

t.test('wide letters and emoji take two columns, marks none', async (t) => {
  t.equal(widthOf('plain'), 5);
  t.equal(widthOf('文書'), 4);
  t.equal(widthOf('🚀 go'), 5);
  t.equal(widthOf('e\u0301'), 1);
  t.equal(widthOf('ü'), 1);
  t.equal(widthOf(''), 0);
});

t.test('what is too long ends with an ellipsis, within the columns', async (t) => {
  t.equal(fitted('document', 8), 'document');
  t.equal(fitted('document', 5), 'docu…');
  t.equal(fitted('文書文書', 6), '文書…');
  t.equal(fitted('文書文書', 7), '文書文…');
  t.equal(fitted('document', 1), '…');
  t.equal(fitted('document', 0), '');
});
