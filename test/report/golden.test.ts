/**
 * Every scenario of test/golden/{passes,fails} against its response, with exactly the report it gives. With
 * VP_UPDATE_GOLDEN=1 the expected texts are written instead of compared; read the difference before committing it.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import t from 'tap';
import type { JsonObject, ObservedBody, ObservedLog, ObservedQuery } from '../../src/check/observed.ts';
import { readBeginning, readBody } from '../../src/executor/body.ts';
import { judge } from '../../src/judge/judge.ts';
import { reportOf } from '../../src/report/make.ts';
import { outcomeOf } from '../../src/report/outcome.ts';
import { plainPaint } from '../../src/report/paint.ts';
import type { Report } from '../../src/report/report.ts';
import { textReport } from '../../src/report/text.ts';
import type { Evidence, Fault, LogEvidence, QueryEvidence, ReceivedResponse } from '../../src/run/evidence.ts';
import { bind } from '../../src/scenario/bind.ts';
import { bindQuery } from '../../src/scenario/bind-query.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';

/** What stands in `<case>.response.json`; `body` is sent as JSON, `text` as it is. No `status`: no answer came. */
type Response = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly fault?: Fault;
  /** The run's lines in the log: objects, or texts that are none; or why there are none to see. */
  readonly log?: readonly (JsonObject | string)[] | Missing;
  /** By the queries' names: records, all with the same columns; or why there are none. */
  readonly queries?: Readonly<Record<string, readonly JsonObject[] | NoRows | Missing>>;
};
type NoRows = { readonly columns: readonly string[] };
type Missing = { readonly problem: string; readonly cure: string };

const runId = '20261120T143012345';
const correlationId = `tr-${runId}-golden`;
const values = { origin: 'http://app:3100', correlationId, variables: {} };
const write = process.env.VP_UPDATE_GOLDEN === '1';

function scenarioIn(text: string): Scenario {
  const told: string[] = [];
  const scenario = parseScenario(text, {}, ({ severity, message }) => {
    if (severity === 'error') told.push(message);
  });
  if (!scenario) throw new Error(told.join('; '));
  return scenario;
}

function received({ status, headers = {}, body, text, fault }: Response): ReceivedResponse | undefined {
  if (status === undefined) return undefined;
  const bytes = Buffer.from(text ?? JSON.stringify(body));
  const read = fault ? readBeginning(bytes, fault.message) : readBody(bytes, headers['content-type']);
  const shownBody = { text: read.text, sizeBytes: bytes.length, truncated: fault !== undefined };
  return { status, headers: Object.entries(headers), body: read.observed, shownBody };
}

function isMissing(seen: readonly unknown[] | NoRows | Missing): seen is Missing {
  return 'problem' in seen;
}

function logged({ log }: Response): LogEvidence | undefined {
  if (log === undefined) return undefined;
  return { observed: isMissing(log) ? { kind: 'unavailable', ...log } : linesOf(log), waitedMs: 5 };
}

function linesOf(written: readonly (JsonObject | string)[]): ObservedLog {
  const lines = written.map((line) => {
    const fields = typeof line === 'string' ? undefined : line;
    const level = fields?.level === undefined ? undefined : String(fields.level);
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    return { text, fields, level, isError: level === 'error', isSagaEvent: fields?.event === 'saga' };
  });
  const count = (what: 'isError' | 'isSagaEvent'): number => lines.filter((line) => line[what]).length;
  const [errorCount, sagaEventCount] = [count('isError'), count('isSagaEvent')];
  return { kind: 'lines', lines, lineCount: lines.length, errorCount, sagaEventCount };
}

function asked({ queries }: Scenario, body: ObservedBody, { queries: answers }: Response): QueryEvidence[] | undefined {
  if (answers === undefined) return undefined;
  return queries.map((query) => {
    const { sql } = bindQuery(query, values, body);
    const observed = answerOf(answers[query.name] ?? []);
    return { name: query.name, sql, line: query.range.start.line, observed, durationMs: 2 };
  });
}

function answerOf(answer: readonly JsonObject[] | NoRows | Missing): ObservedQuery {
  if (isMissing(answer)) return { kind: 'unavailable', ...answer };
  if ('columns' in answer) return { kind: 'rows', columns: answer.columns, rows: [], rowCount: 0, more: false };
  const columns = Object.keys(answer[0] ?? {});
  const rows = answer.map((record) => columns.map((column) => record[column] ?? null));
  return { kind: 'rows', columns, rows, rowCount: rows.length, more: false };
}

function evidenceFor(scenario: Scenario, response: Response): Evidence {
  const bound = bind(scenario, values);
  const answer = received(response);
  const token = bound.authorization === 'config' ? [['Authorization', '[redacted]'] as const] : [];
  const sent = [...bound.headers, ...token];
  return {
    startedAtMs: Date.UTC(2026, 10, 20, 14, 30, 12, 345),
    request: { method: bound.method, url: bound.url, headers: sent, body: undefined },
    response: answer,
    fault: response.fault,
    log: logged(response),
    queries: asked(scenario, answer?.body ?? { kind: 'empty' }, response),
    timings: { connectMs: 1, firstByteMs: 20, bodyMs: 21, totalMs: 22 },
  };
}

function reportFor(text: string, response: Response): Report {
  const scenario = scenarioIn(text);
  const evidence = evidenceFor(scenario, response);
  const request = { runId, correlationId, instanceId: 'golden', scenarioId: scenario.id, scenarioText: text };
  const more = { revision: null, origin: 'local', queuedMs: 0 } as const;
  return reportOf({ ...request, ...more }, scenario, judge(scenario, evidence), evidence, '0.4.0');
}

/** The facts of the report that programs read, then the text that people read. */
function told(file: string, text: string, report: Report): string {
  const facts = {
    result: report.result,
    'failure.kind': report.failure?.kind ?? null,
    observed_status: report.observed_status,
    assertions_enforced_count: report.assertions_enforced_count,
    ...(report.evidence_assertions_count > 0 && { evidence_assertions_count: report.evidence_assertions_count }),
    'failed_checks, by line': report.failed_checks.map(({ line }) => line).join(' ') || null,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}\n`);
  return `${lines.join('')}\n${textReport(report, plainPaint, { file, text })}`;
}

for (const folder of ['passes', 'fails']) {
  for (const file of globSync(`test/golden/${folder}/*.md`).sort()) {
    if (basename(file) === 'README.md') continue;
    t.test(`${folder}: ${basename(file, '.md')}`, async (t) => {
      const text = readFileSync(file, 'utf8');
      const response: Response = JSON.parse(readFileSync(file.replace(/md$/, 'response.json'), 'utf8'));
      const report = reportFor(text, response);
      const actual = told(basename(file), text, report);
      const expected = file.replace(/md$/, 'expected.txt');
      if (write) writeFileSync(expected, actual);
      t.equal(actual, existsSync(expected) ? readFileSync(expected, 'utf8') : '');
      t.equal(outcomeOf(report) === 'passed', folder === 'passes');
    });
  }
}

t.test('every file belongs to a case', async (t) => {
  const strays = globSync('test/golden/{passes,fails}/*').filter((file) => {
    const stem = file.replace(/\.(md|response\.json|expected\.txt)$/, '');
    return basename(file) !== 'README.md' && !existsSync(`${stem}.md`);
  });
  t.same(strays, []);
});
