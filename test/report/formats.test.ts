import t from 'tap';
import { outputFormats } from '../../src/report/formats.ts';
import { createResults, failed, failingText } from './report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/a.md', text: failingText }]]);

// GitLab compares code quality reports of branches, which have no runs.
t.test('every format contains the run, the failing check and the message', async (t) => {
  for (const [name, write] of Object.entries(outputFormats)) {
    const text = write(createResults([failed()], { sources }));
    t.match(text, 'body has count matching', name);
    t.ok(text.endsWith('\n'), name);
    if (name === 'code-quality') continue;
    t.match(text, '20261120T143012345', name);
    t.match(text, 'status matched but the response body', name);
  }
});
