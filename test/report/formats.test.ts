import t from 'tap';
import { outputFormats } from '../../src/report/formats.ts';
import { createResults, failed } from './report-fixtures.ts';

t.test('every format contains the run, the failing check and the message', async (t) => {
  for (const [name, write] of Object.entries(outputFormats)) {
    const text = write(createResults([failed()]));
    t.match(text, '20261120T143012345', name);
    t.match(text, 'body has count matching', name);
    t.match(text, 'status matched but the response body', name);
    t.ok(text.endsWith('\n'), name);
  }
});
