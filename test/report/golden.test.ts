/**
 * Every scenario of test/golden/{passes,fails} against its response, with exactly the report it gives. With
 * VP_UPDATE_GOLDEN=1 the expected texts are written instead of compared; read the difference before committing it.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import t from 'tap';
import type { JsonObject } from '../../src/check/json/json.ts';
import type { ObservedBody, ObservedLog, ObservedQueryResult } from '../../src/check/observation.ts';
import { parseBody, parseTruncatedBody } from '../../src/executor/response/parse-body.ts';
import { judge } from '../../src/judge/judge.ts';
import { buildReport } from '../../src/report/build/build-report.ts';
import { getOutcome } from '../../src/report/outcome.ts';
import type { Report } from '../../src/report/report.ts';
import { renderReport } from '../../src/report/text/render-text.ts';
import { plainStyles } from '../../src/report/text/text-styles.ts';
import type {
  Evidence,
  ExecutionFailure,
  LogEvidence,
  QueryEvidence,
  ReceivedResponse,
} from '../../src/run/evidence.ts';
import { bindTrigger } from '../../src/scenario/bind.ts';
import { bindQuery } from '../../src/scenario/bind-query.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { noGaps } from '../check/evidence-fixtures.ts';

/** The content of `<case>.response.json`; `body` is sent as JSON, `text` unchanged. No `status`: no response. */
type GoldenResponse = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly fault?: ExecutionFailure;
  /** The run's lines in the log: objects, or texts that are none; or why there are none to see. */
  readonly log?: readonly (JsonObject | string)[] | MissingEvidence;
  /** By the queries' names: records, all with the same columns; or why there are none. */
  readonly queries?: Readonly<Record<string, readonly JsonObject[] | EmptyRows | MissingEvidence>>;
};
type EmptyRows = { readonly columns: readonly string[] };
type MissingEvidence = { readonly problem: string; readonly cure: string };

const runId = '20261120T143012345';
const correlationId = `tr-${runId}-golden`;
const values = { origin: 'http://app:3100', correlationId, variables: {} };
const isUpdating = process.env.VP_UPDATE_GOLDEN === '1';

function parseScenarioText(text: string): Scenario {
  const errors: string[] = [];
  const scenario = parseScenario(text, {}, ({ severity, message }) => {
    if (severity === 'error') errors.push(message);
  });
  if (!scenario) throw new Error(errors.join('; '));
  return scenario;
}

function createResponse({ status, headers = {}, body, text, fault }: GoldenResponse): ReceivedResponse | undefined {
  if (status === undefined) return undefined;
  const bytes = Buffer.from(text ?? JSON.stringify(body));
  const read = fault ? parseTruncatedBody(bytes, fault.message) : parseBody(bytes, headers['content-type']);
  const displayedBody = { text: read.text, sizeBytes: bytes.length, truncated: fault !== undefined };
  const lines = Object.entries(headers);
  const setCookies = lines.flatMap(([name, value]) => (name.toLowerCase() === 'set-cookie' ? [value] : []));
  return { status, headers: lines, setCookies, body: read.observed, displayedBody };
}

function isMissingEvidence(evidence: readonly unknown[] | EmptyRows | MissingEvidence): evidence is MissingEvidence {
  return 'problem' in evidence;
}

function createLogEvidence({ log }: GoldenResponse): LogEvidence | undefined {
  if (log === undefined) return undefined;
  return { observed: isMissingEvidence(log) ? { kind: 'unavailable', ...log } : createLog(log), waitedMs: 5 };
}

function createLog(written: readonly (JsonObject | string)[]): ObservedLog {
  const lines = written.map((line) => {
    const fields = typeof line === 'string' ? undefined : line;
    const level = fields?.level === undefined ? undefined : String(fields.level);
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    return { text, fields, level, isError: level === 'error', isSagaEvent: fields?.event === 'saga' };
  });
  const count = (flag: 'isError' | 'isSagaEvent'): number => lines.filter((line) => line[flag]).length;
  const [errorCount, sagaEventCount] = [count('isError'), count('isSagaEvent')];
  return { kind: 'lines', lines, lineCount: lines.length, errorCount, sagaEventCount, gaps: noGaps };
}

function createQueryEvidence(
  { queries }: Scenario,
  body: ObservedBody,
  { queries: answers }: GoldenResponse,
): QueryEvidence[] | undefined {
  if (answers === undefined) return undefined;
  return queries.map((query) => {
    const { sql } = bindQuery(query, values, body);
    const observed = createQueryResult(answers[query.name] ?? []);
    return { name: query.name, sql, line: query.range.start.line, observed, durationMs: 2 };
  });
}

function createQueryResult(answer: readonly JsonObject[] | EmptyRows | MissingEvidence): ObservedQueryResult {
  if (isMissingEvidence(answer)) return { kind: 'unavailable', ...answer };
  if ('columns' in answer) return { kind: 'rows', columns: answer.columns, rows: [], rowCount: 0, more: false };
  const columns = Object.keys(answer[0] ?? {});
  const rows = answer.map((record) => columns.map((column) => record[column] ?? null));
  return { kind: 'rows', columns, rows, rowCount: rows.length, more: false };
}

function createEvidence(scenario: Scenario, response: GoldenResponse): Evidence {
  const bound = bindTrigger(scenario, values);
  const answer = createResponse(response);
  const token = bound.authorization === 'config' ? [['Authorization', '[redacted]'] as const] : [];
  const sent = [...bound.headers, ...token];
  return {
    startedAtMs: Date.UTC(2026, 10, 20, 14, 30, 12, 345),
    request: { method: bound.method, url: bound.url, headers: sent, body: undefined },
    response: answer,
    failure: response.fault,
    log: createLogEvidence(response),
    queries: createQueryEvidence(scenario, answer?.body ?? { kind: 'empty' }, response),
    timings: { connectMs: 1, firstByteMs: 20, bodyMs: 21, totalMs: 22 },
  };
}

function createReport(text: string, response: GoldenResponse): Report {
  const scenario = parseScenarioText(text);
  const evidence = createEvidence(scenario, response);
  const request = { runId, correlationId, instanceId: 'golden', scenarioId: scenario.id, scenarioText: text };
  const more = { revision: null, origin: 'local', queuedMs: 0 } as const;
  return buildReport({ ...request, ...more }, scenario, judge(scenario, evidence), evidence, '0.4.0');
}

/** The members of the report that programs read, then the text that people read. */
function formatExpected(file: string, text: string, report: Report): string {
  const facts = {
    result: report.result,
    'failure.kind': report.failure?.kind ?? null,
    observed_status: report.observed_status,
    assertions_enforced_count: report.assertions_enforced_count,
    ...(report.evidence_assertions_count > 0 && { evidence_assertions_count: report.evidence_assertions_count }),
    'failed_checks, by line': report.failed_checks.map(({ line }) => line).join(' ') || null,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}\n`);
  return `${lines.join('')}\n${renderReport(report, plainStyles, { file, text })}`;
}

for (const folder of ['passes', 'fails']) {
  for (const file of globSync(`test/golden/${folder}/*.md`).sort()) {
    if (basename(file) === 'README.md') continue;
    t.test(`${folder}: ${basename(file, '.md')}`, async (t) => {
      const text = readFileSync(file, 'utf8');
      const response: GoldenResponse = JSON.parse(readFileSync(file.replace(/md$/, 'response.json'), 'utf8'));
      const report = createReport(text, response);
      const actual = formatExpected(basename(file), text, report);
      const expected = file.replace(/md$/, 'expected.txt');
      if (isUpdating) writeFileSync(expected, actual);
      t.equal(actual, existsSync(expected) ? readFileSync(expected, 'utf8') : '');
      t.equal(getOutcome(report) === 'passed', folder === 'passes');
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
