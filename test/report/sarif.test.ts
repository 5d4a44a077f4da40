import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import t from 'tap';
import { renderSarif } from '../../src/report/sarif.ts';
import { broken, cancelled, createResults, failed, failingText, passed } from './report-fixtures.ts';

const schema = createRequire(import.meta.url)('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const { $schema: _draft, id: _id, ...rest } = schema;
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(rest);
const sources = new Map([['RT-GET-document', { file: 'my scenarios/RT-GET-document.md', text: failingText }]]);
const unfinished = [
  { scenarioId: 'RT-late', instance: 'sign-prod', runId: undefined, state: 'not_requested', hint: 'stopped' },
] as const;

t.test('every result is valid in the schema of OASIS', async (t) => {
  const texts = [
    createResults([]),
    createResults([passed(), failed(), broken(), cancelled()], { sources }),
    createResults([failed()], { unfinished }),
  ].map(renderSarif);
  for (const text of texts) t.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
  const { version, ...others } = JSON.parse(texts[0] ?? '');
  t.notOk(validate(others), `the schema demands ${version}`);
});

t.test('a false check is an error at its line of the file', async (t) => {
  const [run] = JSON.parse(renderSarif(createResults([passed(), failed()], { sources }))).runs;
  t.equal(run.results.length, 1);
  t.match(run.results[0], {
    ruleId: 'body_mismatch',
    level: 'error',
    message: { text: /^RT-GET-document: body has count matching .*expected a value matching.*got 0/ },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'my%20scenarios/RT-GET-document.md' },
          region: { startLine: 20 },
        },
      },
    ],
    properties: { outcome: 'failed' },
  });
  t.match(run.invocations, [{ executionSuccessful: true }]);
  t.same(
    run.tool.driver.rules.map(({ id }: { id: string }) => id),
    ['body_mismatch'],
  );
});

t.test('the fingerprint is the same for another run with other values', async (t) => {
  const read = (text: string) => JSON.parse(text).runs[0].results[0].partialFingerprints;
  const first = read(renderSarif(createResults([failed()], { sources })));
  const later = read(renderSarif(createResults([failed({ runId: '20261121T000000000' })], { sources })));
  t.same(later, first);
});

t.test('what was not judged is an error, and a run without a result makes the invocation unsuccessful', async (t) => {
  const [run] = JSON.parse(renderSarif(createResults([broken(), cancelled()], { unfinished, sources }))).runs;
  t.same(
    run.results.map(({ level, properties }: { level: string; properties: { outcome: string } }) => [
      level,
      properties.outcome,
    ]),
    [
      ['error', 'broken'],
      ['error', 'cancelled'],
    ],
  );
  t.match(run.invocations, [
    {
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: 'error', message: { text: /RT-late.*stopped/ } }],
    },
  ]);
});

// GitHub refuses the whole document otherwise.
t.test('a problem without a file is a notification, and no result is without a file', async (t) => {
  const inCatalogue = new Map([
    ['RT-GET-document', { file: 'shop/RT-GET-document@3', text: failingText, inCatalogue: true }],
  ]);
  const document = JSON.parse(renderSarif(createResults([failed()], { sources: inCatalogue })));
  t.ok(validate(document), JSON.stringify(validate.errors));
  t.match(document.runs[0], {
    results: [],
    invocations: [
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          { level: 'error', message: { text: /^sign-prod: RT-GET-document: body has count matching .*, run 2026/s } },
        ],
      },
    ],
  });
});
