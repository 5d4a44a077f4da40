import t from 'tap';
import type { LogGaps } from '../../../src/check/observation.ts';
import { formatError } from '../../../src/errors/vp-error.ts';
import { canMatchLevelKind } from '../../../src/logs/lines/error-levels.ts';
import { createLogObserver } from '../../../src/logs/lines/observed-log.ts';
import type { LogLineFormat } from '../../../src/logs/lines/parse-log-line.ts';
import { compilePattern } from '../../../src/pattern/pattern.ts';

const runId = 'tr-20261120T143012345';
const id = `${runId}-abc`;

function createPattern(source: string) {
  const compiled = compilePattern(`^(?:${source})$`);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled.pattern;
}

function createFormat(more: Partial<LogLineFormat> = {}): LogLineFormat {
  const sagaEvent = { field: 'event', value: 'saga' };
  return { levelField: 'level', errorMatch: createPattern('40|50|60'), sagaEvent, correlationField: 'reqId', ...more };
}

function findGaps(lines: readonly (object | string)[], format: LogLineFormat | undefined, isSilent = false): LogGaps {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const observed = createLogObserver({
    format,
    runId,
    startMonotonicMs: 0,
    redact: (text) => text.replaceAll('s3cret', '***'),
  })(texts, isSilent);
  if (observed.kind !== 'lines') throw new Error(observed.problem);
  return observed.gaps;
}

t.test('lines that fit the config leave nothing open', async (t) => {
  const gaps = findGaps(
    [{ level: 30, reqId: id, event: 'saga' }, `app-1 | {"level":50,"reqId":"${id}"}`],
    createFormat(),
  );
  t.strictSame(gaps, { lines: undefined, errors: undefined, sagaEvents: undefined, fields: undefined, unseen: [] });
});

t.test('without level_field or error_match no line is known to be an error or not', async (t) => {
  const lines = [{ severity: 'ERROR', requestId: id }];
  const missing = (name: string) => ({ members: `\`observability.logstore.${name}\``, example: '' });
  t.equal(
    findGaps(lines, createFormat({ errorMatch: undefined })).errors?.problem,
    formatError('EVIDENCE_ERRORS_UNDEFINED', missing('error_match')).message,
  );
  t.match(
    findGaps(lines, createFormat({ sagaEvent: undefined })).sagaEvents?.problem,
    formatError('EVIDENCE_SAGA_UNDEFINED', { members: '', example: '' }).message.split(':')[0],
  );
  t.match(findGaps(lines, createFormat({ levelField: undefined })).errors, {
    lineCount: 'every',
    problem: '`observability.logstore.level_field` missing',
    cure: '`level_field: severity`',
  });
  t.match(findGaps(lines, createFormat({ levelField: 'severity', errorMatch: undefined })).errors, {
    problem: '`observability.logstore.error_match` missing',
    cure: '`error_match: ERROR|FATAL`',
  });
  t.match(findGaps(lines, undefined), {
    errors: {
      lineCount: 'every',
      cure: '`correlation_field: requestId`, `level_field: severity`, `error_match: ERROR|FATAL`',
    },
    sagaEvents: { lineCount: 'every', problem: 'saga_event_field', cure: '`saga_event_field: event`' },
  });
});

t.test('no member of the config tells errors among lines of text', async (t) => {
  const lines = [`GET /api ${id} 200`, `ERROR ${id}`];
  for (const format of [createFormat(), createFormat({ levelField: undefined, errorMatch: undefined })])
    t.match(findGaps(lines, format).errors, { lineCount: 2, problem: 'no JSON object', cure: 'as JSON objects' });
});

t.test('a line without the level field may be an error', async (t) => {
  const { errors, unseen } = findGaps(
    [
      { severity: 'error', reqId: id },
      { lvl: 30, reqId: id },
    ],
    createFormat({ levelField: 'lvl' }),
  );
  t.match(errors, {
    lineCount: 1,
    problem: 'the field `lvl` (`observability.logstore.level_field`) is missing in 1 of the 2 lines of the run',
  });
  t.same(
    unseen.map(({ member }) => member),
    ['saga_event_field'],
  );
  const all = findGaps([{ level: 50, reqId: id }], createFormat({ levelField: 'lvl' }));
  t.match(all.errors, { lineCount: 1, problem: 'missing in the line of the run', cure: ', such as `level`,' });
  t.match(all.unseen, [{ member: 'level_field', field: 'lvl', instead: 'level' }, { member: 'saga_event_field' }]);
});

t.test('a pattern for other levels finds no error in these', async (t) => {
  const words = findGaps([{ level: 'INFO', reqId: id }], createFormat());
  t.match(words.errors, { lineCount: 1, problem: 'written like `INFO`', cure: 'such as `ERROR|FATAL`' });
  t.match(findGaps([{ level: 30, reqId: id }], createFormat({ errorMatch: createPattern('error|fatal') })).errors, {
    cure: 'such as `50|60`',
  });
  const upper = createPattern('ERROR|FATAL');
  for (const level of ['info', 'Information', '30', 'I', 'level info']) t.notOk(canMatchLevelKind(level, upper), level);
  for (const level of ['INFO', 'ERROR']) t.ok(canMatchLevelKind(level, upper), level);
  for (const level of ['0', '30', '300', '2000']) t.ok(canMatchLevelKind(level, createPattern('40|50|60')), level);
  for (const level of ['OK', '7', 'odd one'])
    t.ok(canMatchLevelKind(level, createPattern('ALARM')), `${level}: an own word is taken as it is`);
});

t.test('lines of several services: each form that the config does not fit counts', async (t) => {
  const lines = [
    { level: 30, reqId: id },
    `GET /api ${id} 200 s3cret`,
    { severity: 'ERROR', reqId: id },
    { level: 'error', reqId: id },
  ];
  const { errors, sagaEvents, fields } = findGaps(lines, createFormat());
  const part = '1 of the 4 lines of the run';
  t.equal(
    errors?.problem,
    [
      formatError('EVIDENCE_LINE_NOT_JSON', { lines: part, example: `GET /api ${id} 200 ***` }).message,
      formatError('EVIDENCE_LEVEL_ABSENT', { lines: part, field: 'level', seen: '' }).message,
      formatError('EVIDENCE_LEVEL_UNMATCHED', { lines: part, level: 'error', example: '' }).message,
    ].join('; '),
  );
  t.equal(errors?.lineCount, 3);
  t.match(
    errors?.problem,
    /no JSON object in 1 of the 4 lines.*`level` .*missing in 1 of the 4.*written like `error` in 1 of the 4/,
  );
  t.match(errors?.cure, 'observability.logstore.services');
  t.notMatch(errors?.problem, 's3cret');
  t.equal(sagaEvents?.lineCount, 1);
  t.equal(fields, undefined, 'some lines have fields');
  t.match(findGaps([`GET /api ${id} 200`], createFormat()), { fields: { lineCount: 1 }, unseen: [] });
});

t.test('a configured field that no line has is named, with the field that holds the id', async (t) => {
  const { unseen } = findGaps([{ level: 30, http: { requestId: id }, event: 'x' }], createFormat());
  t.strictSame(unseen, [{ member: 'correlation_field', field: 'reqId', instead: 'http.requestId' }]);
  const { unseen: nested } = findGaps(
    [{ level: 30, req: { id }, event: 'x' }],
    createFormat({ correlationField: 'req.id' }),
  );
  t.strictSame(nested, []);
  t.strictSame(findGaps([], createFormat()).unseen, [], 'without a line nothing can be seen');
});

t.test('a log that never gave a line is not known to be the target’s', async (t) => {
  const { message, cure } = formatError('EVIDENCE_LOG_SILENT', {});
  t.strictSame(findGaps([], createFormat(), true).lines, { lineCount: 'every', problem: message, cure });
  t.equal(findGaps([], createFormat(), false).lines, undefined);
  t.equal(findGaps([{ level: 30, reqId: id }], createFormat(), true).lines, undefined);
});
