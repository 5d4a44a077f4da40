/**
 * Captures of the log and the database: `capture <name> = log <field>`, `capture <name> = db [<query>] <column>`. Each is a check
 * of that evidence that has a value: the log and the queries are looked at again until it holds, as for any other check.
 */
import type { CheckKind, CheckOutcome } from '../check/check-kind.ts';
import { type DatabaseHasCheck, findRows } from '../check/forms/database-form.ts';
import type { LogHasCheck } from '../check/forms/log-form.ts';
import { formatValue } from '../check/json/describe-value.ts';
import { resolveField } from '../check/json/field-path.ts';
import { type Json, toStringForm } from '../check/json/json.ts';
import { databaseHasKind } from '../check/kinds/database-has.ts';
import { logHasKind } from '../check/kinds/log-has.ts';
import type { Observation } from '../check/observation.ts';
import type { CapturedValue } from './capture.ts';
import type { ScenarioCheck } from './scenario.ts';

type LogCapture = { readonly kind: 'capture'; readonly name: string; readonly inner: LogHasCheck };
type RowCapture = { readonly kind: 'capture'; readonly name: string; readonly inner: DatabaseHasCheck };

function findLogValue({ field }: LogHasCheck, { log }: Observation): Json {
  if (log?.kind !== 'lines') return null;
  for (const { fields } of log.lines) {
    const value = fields && resolveField(fields, field)?.value;
    if (value !== undefined && value !== null) return value;
  }
  return null;
}

/** With several rows it is not known which one is meant. */
function judgeRowCount(
  { query, column, expected }: DatabaseHasCheck,
  observation: Observation,
): CheckOutcome | undefined {
  const rows = findRows({ query, expected }, observation);
  if ('passed' in rows || (rows.rowCount === 1 && !rows.more)) return undefined;
  const actual = `${rows.more ? 'more than ' : ''}${rows.rowCount} rows: let the query pick one`;
  return { passed: false, expected: `one row with \`${column}\``, actual };
}

const refuseText = (): undefined => undefined;

const logCaptureKind: CheckKind<LogCapture> = {
  kind: 'capture',
  form: 'capture <name> = log <field>',
  meaning: 'some line of the run has a value there',
  example: 'capture job_id = log job.id',
  looksAt: 'log',
  counted: false,
  parse: refuseText,
  findGap: ({ inner }, observation) => logHasKind.findGap?.(inner, observation),
  judge({ inner }, observation) {
    const outcome = logHasKind.judge(inner, observation);
    const value = findLogValue(inner, observation);
    if (!outcome.passed) return outcome;
    return { ...outcome, passed: value !== null, actual: formatValue(value, observation.conceal) };
  },
  getSubject: ({ inner }, observation, outcome) => logHasKind.getSubject?.(inner, observation, outcome),
  isPresenceCheck: () => true,
};

const rowCaptureKind: CheckKind<RowCapture> = {
  kind: 'capture',
  form: 'capture <name> = db [<query>] <column>',
  meaning: 'the query gives one row, and a value there',
  example: 'capture code = db code',
  looksAt: 'database',
  counted: false,
  parse: refuseText,
  judge({ inner }, observation) {
    const outcome = databaseHasKind.judge(inner, observation);
    return outcome.passed ? (judgeRowCount(inner, observation) ?? outcome) : outcome;
  },
  getQuery: ({ inner }) => inner.query,
  withQuery: (check, query) => ({ ...check, inner: { ...check.inner, query } }),
  getSubject: ({ inner }, observation, outcome) => databaseHasKind.getSubject?.(inner, observation, outcome),
  isPresenceCheck: () => true,
};

/** The check and the kind of a source; undefined where the text is none of them. */
export function parseEvidenceCapture(
  name: string,
  text: string,
): Pick<ScenarioCheck, 'check' | 'definition'> | undefined {
  const ignore = (): void => {};
  const field = /^log\s+(\S+)$/.exec(text)?.[1];
  if (field !== undefined) {
    const inner = logHasKind.parse(`log has ${field}`, ignore);
    if (!inner || inner === 'refused' || inner.test.kind !== 'exists') return undefined;
    return { check: { kind: 'capture', name, inner } as LogCapture, definition: logCaptureKind };
  }
  const [, query = '', column] = /^db\s+(?:([a-z][a-z0-9_]*)\s+)?("(?:[^"]|"")+"|\S+)$/.exec(text) ?? [];
  const inner = column === undefined ? undefined : databaseHasKind.parse(`db ${query} has ${column}`, ignore);
  if (!inner || inner === 'refused' || inner.test.kind !== 'exists') return undefined;
  return { check: { kind: 'capture', name, inner } as RowCapture, definition: rowCaptureKind };
}

function isCaptureOf<C extends LogCapture | RowCapture>(
  entry: ScenarioCheck,
  kind: CheckKind<C>,
): entry is ScenarioCheck & { readonly check: C } {
  return entry.definition === kind;
}

function findValue(
  entry: ScenarioCheck,
  observation: Observation,
): { readonly name: string; readonly value: Json } | undefined {
  if (isCaptureOf(entry, logCaptureKind)) {
    return { name: entry.check.name, value: findLogValue(entry.check.inner, observation) };
  }
  if (!isCaptureOf(entry, rowCaptureKind) || !rowCaptureKind.judge(entry.check, observation).passed) return undefined;
  const rows = findRows(entry.check.inner, observation);
  if ('passed' in rows) return undefined;
  return { name: entry.check.name, value: rows.rows[0]?.[rows.columns.indexOf(entry.check.inner.column)] ?? null };
}

/** The values that the log and the database have; a name without a value is absent. Secrets of the target are concealed. */
export function readEvidenceCaptures(
  checks: readonly ScenarioCheck[],
  observation: Observation,
): ReadonlyMap<string, CapturedValue> {
  const { conceal = (text: string) => text } = observation;
  const values = new Map<string, CapturedValue>();
  for (const entry of checks) {
    const match = findValue(entry, observation);
    if (!match || match.value === null) continue;
    values.set(match.name, { text: conceal(toStringForm(match.value)), isText: typeof match.value === 'string' });
  }
  return values;
}
