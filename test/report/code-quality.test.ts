import t from 'tap';
import { renderCodeQuality } from '../../src/report/code-quality.ts';
import { broken, createResults, failed, failingText, passed } from './report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);
const render = (...args: Parameters<typeof createResults>) => JSON.parse(renderCodeQuality(createResults(...args)));

t.test('a false check stands at its line, with the members that GitLab requires', async (t) => {
  const entries = render([passed(), failed()], { sources });
  t.equal(entries.length, 1);
  t.match(entries[0], {
    description: /^RT-GET-document: body has count matching/,
    check_name: 'body_mismatch',
    fingerprint: /count matching/,
    severity: 'major',
    location: { path: 'scenarios/RT-GET-document.md', lines: { begin: 20 } },
  });
});

t.test('fingerprints are unique in the file and equal in the next run', async (t) => {
  const fingerprints = (entries: { fingerprint: string }[]) => entries.map(({ fingerprint }) => fingerprint);
  const twice = fingerprints(render([failed(), failed({ runId: '20261121T000000000' })], { sources }));
  t.equal(new Set(twice).size, 2);
  t.same(fingerprints(render([failed({ runId: '20261122T000000000' })], { sources })), twice.slice(0, 1));
});

t.test('a run that could not be judged is critical; without a file of the checkout nothing is displayed', async (t) => {
  t.match(render([broken()], { sources }), [
    { severity: 'critical', check_name: 'timeout', location: { lines: { begin: 1 } } },
  ]);
  t.same(render([failed()]), []);
});
