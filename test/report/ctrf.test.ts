import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import t from 'tap';
import { renderCtrf } from '../../src/report/ctrf.ts';
import { broken, cancelled, createResults, failed, failingText, passed } from './report-fixtures.ts';

const require = createRequire(import.meta.url);
const schema = require(join(dirname(require.resolve('ctrf')), 'ctrf-schema-0.0.json'));
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);
const run = { scenarioId: 'RT-late', instance: 'sign-prod', runId: undefined, state: 'not_requested' } as const;

t.test('every result is valid in the schema of CTRF', async (t) => {
  const unfinished = [{ ...run, hint: 'stopped' }];
  for (const results of [
    createResults([]),
    createResults([passed(), failed(), broken(), cancelled()], { sources, unfinished }),
  ])
    t.ok(validate(JSON.parse(renderCtrf(results))), JSON.stringify(validate.errors));
  t.notOk(validate({}));
});

t.test('what was not judged counts as failed, with its own word beside it', async (t) => {
  const { results } = JSON.parse(renderCtrf(createResults([passed(), failed(), broken(), cancelled()], { sources })));
  t.match(results.summary, { tests: 4, passed: 1, failed: 3, skipped: 0, other: 0 });
  t.same(
    results.tests.map(({ rawStatus }: { rawStatus: string }) => rawStatus),
    ['passed', 'failed', 'could not be judged', 'cancelled'],
  );
  t.match(results.tests[1], {
    name: 'RT-GET-document',
    message: /^body has count matching/,
    trace: /status matched but the response body/,
    filePath: 'scenarios/RT-GET-document.md',
    line: 20,
    extra: { run_id: '20261120T143012345', correlation_id: 'tr-20261120T143012345-x7Yz' },
  });
});

t.test('only what --fail-fast left out is skipped', async (t) => {
  const unfinished = [
    { ...run, hint: 'left out', stoppedBy: '--fail-fast' },
    { ...run, hint: 'no time', stoppedBy: '--max-time' },
  ] as const;
  const { results } = JSON.parse(renderCtrf(createResults([], { unfinished })));
  t.match(results.summary, { tests: 2, failed: 1, skipped: 1 });
});
