/**
 * Captures: `capture <name> = <source>`, a value of a response that is a placeholder from the next request on.
 *
 * A capture is also a check that there is such a value: it is judged, reported and proven like one, with the kind below. A
 * value of the body is read from the observation; others come from header lines that nobody sees, so the executor passes
 * them in `captured`.
 */
import type { CheckKind, CheckOutcome, ReportProblem } from '../check/check-kind.ts';
import { findBodyValue } from '../check/forms/body-value.ts';
import { findSetCookie, parseSetCookie } from '../check/forms/set-cookie.ts';
import { formatValue } from '../check/json/describe-value.ts';
import type { FieldPath } from '../check/json/field-path.ts';
import { toStringForm } from '../check/json/json.ts';
import { parseField } from '../check/json/parse-field-path.ts';
import { emptyObservation, type Observation } from '../check/observation.ts';
import { createBodySubject } from '../check/subjects/body-subject.ts';
import type { Mutation } from '../check/subjects/subject.ts';
import type { Range } from './position.ts';

export type CaptureSource =
  | { readonly kind: 'body'; readonly field: FieldPath }
  | { readonly kind: 'header' | 'cookie'; readonly name: string }
  | { readonly kind: 'status' }
  /** The log or the database: the check of the capture knows where (capture-evidence.ts). */
  | { readonly kind: 'evidence' };

export type Capture = { readonly name: string; readonly source: CaptureSource; readonly range: Range };

/** `text` replaces the placeholder. `isText` is false for numbers, booleans, lists and objects of a JSON body. */
export type CapturedValue = { readonly text: string; readonly isText: boolean };

export type CapturedValues = ReadonlyMap<string, CapturedValue>;

/** The forms of a source, for the guide. */
export const captureSources = [
  {
    form: 'body.<field>',
    meaning: 'a value of the JSON body; not null',
    example: 'capture order_id = body.id',
    looksAt: 'response',
  },
  {
    form: 'header <name>',
    meaning: 'a header; the first one of that name',
    example: 'capture etag = header ETag',
    looksAt: 'response',
  },
  {
    form: 'cookie <name>',
    meaning: 'a cookie that the response sets',
    example: 'capture session = cookie sid',
    looksAt: 'response',
  },
  { form: 'status', meaning: 'the status code', example: 'capture code = status', looksAt: 'response' },
  {
    form: 'log <field>',
    meaning: 'a field of the first line of the run that has it',
    example: 'capture job = log job.id',
    looksAt: 'log',
  },
  {
    form: 'db [<query>] <column>',
    meaning: 'a column of the one row that a query of VERIFY gives',
    example: 'capture code = db code',
    looksAt: 'database',
  },
] as const;

export type CaptureCheck = {
  readonly kind: 'capture';
  readonly name: string;
  readonly source: CaptureSource;
  readonly expected: string;
};

/** The words of a bullet that begins like a capture; undefined for any other. */
export function splitCapture(text: string): { readonly name: string; readonly source: string } | undefined {
  const rest = /^capture(?:\s+(.*))?$/.exec(text);
  if (!rest) return undefined;
  const match = /^([^\s=]+)\s*=\s*(.+)$/.exec(rest[1] ?? '');
  return { name: match?.[1] ?? '', source: match?.[2] ?? '' };
}

/** Undefined where the text is none of {@link captureSources}. */
export function parseCaptureSource(text: string): CaptureSource | undefined {
  if (text === 'status') return { kind: 'status' };
  const named = /^(header|cookie)\s+([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/.exec(text);
  if (named) return { kind: named[1] === 'header' ? 'header' : 'cookie', name: named[2] ?? '' };
  const path = /^body(?:\.|(?=\[))(\S.*)$/.exec(text)?.[1];
  const field = path === undefined ? undefined : parseField(path);
  return field === undefined || 'problem' in field ? undefined : { kind: 'body', field };
}

function describeSource(source: CaptureSource): string {
  if (source.kind === 'body') return `a value of \`${source.field.text}\` that is not null`;
  return 'name' in source ? `a ${source.kind} \`${source.name}\`` : 'a status';
}

export function createCaptureCheck(name: string, source: CaptureSource): CaptureCheck {
  return { kind: 'capture', name, source, expected: describeSource(source) };
}

function judgeBodyCapture(field: FieldPath, expected: string, observation: Observation): CheckOutcome {
  const match = findBodyValue({ field, expected }, observation);
  if ('passed' in match) return match;
  const { value, pointer } = match;
  return { passed: value !== null, expected, actual: formatValue(value, observation.conceal), pointer };
}

function removeCaptured(name: string, subject: string): Mutation {
  return {
    description: `${subject} is missing`,
    affects: 'presence',
    cost: 10,
    size: 0,
    apply: (observation) => {
      const captured = new Map(observation.captured);
      captured.delete(name);
      return { ...observation, captured };
    },
  };
}

const refuseText = (_text: string, _report: ReportProblem): undefined => undefined;

/** Not in the list of kinds: a capture has a name besides, so the bullets of a request are read by request-checks.ts. */
export const captureKind: CheckKind<CaptureCheck> = {
  kind: 'capture',
  form: 'capture <name> = <source>',
  meaning: 'there is such a value',
  example: captureSources[0].example,
  looksAt: 'response',
  counted: false,
  parse: refuseText,
  judge({ name, source, expected }, observation) {
    if (source.kind === 'body') return judgeBodyCapture(source.field, expected, observation);
    const value = observation.captured?.get(name);
    const absent = source.kind === 'cookie' ? 'no such cookie is set' : 'no such header';
    return { passed: value !== undefined, expected, actual: value ?? absent };
  },
  getSubject: ({ name, source, expected }, observation, outcome) => {
    if (source.kind === 'body') return createBodySubject({ field: source.field, expected }, observation, outcome);
    if (source.kind !== 'header' && source.kind !== 'cookie') return undefined;
    return { id: `capture/${name}`, mutations: () => [removeCaptured(name, `${source.kind} \`${source.name}\``)] };
  },
  explainUnprovable: ({ source }) =>
    source.kind === 'status' ? 'every response has a status, so no response can make this fail' : undefined,
  isPresenceCheck: () => true,
};

type ResponseHead = { readonly status: number; readonly headers: readonly (readonly [string, string])[] };

/** Of a name that is set twice a browser keeps the last one. */
function findCookie(headers: ResponseHead['headers'], name: string): string | undefined {
  const lines = headers.flatMap(([key, value]) => (key.toLowerCase() === 'set-cookie' ? [value] : []));
  return findSetCookie(lines.map(parseSetCookie), name)?.value;
}

function readHead(source: Exclude<CaptureSource, { kind: 'body' | 'evidence' }>, { status, headers }: ResponseHead) {
  if (source.kind === 'status') return String(status);
  if (source.kind === 'cookie') return findCookie(headers, source.name);
  return headers.find(([key]) => key.toLowerCase() === source.name.toLowerCase())?.[1];
}

/**
 * The values that a response has; a name without a value is absent. `headers` are as received, the body as in `observation`.
 * Secrets of the target are concealed: a capture could otherwise be compared letter by letter.
 */
export function readCaptures(
  captures: readonly Capture[],
  head: ResponseHead,
  { body, conceal = (text) => text }: Pick<Observation, 'body' | 'conceal'>,
): CapturedValues {
  const values = new Map<string, CapturedValue>();
  for (const { name, source } of captures) {
    if (source.kind === 'evidence') continue;
    if (source.kind !== 'body') {
      const text = readHead(source, head);
      if (text !== undefined) values.set(name, { text: conceal(text), isText: source.kind !== 'status' });
      continue;
    }
    const match = findBodyValue({ field: source.field, expected: '' }, { ...emptyObservation, body });
    if ('passed' in match || match.value === null) continue;
    values.set(name, { text: conceal(toStringForm(match.value)), isText: typeof match.value === 'string' });
  }
  return values;
}

/** Headers whose values are credentials, and every cookie: captured values of them are never displayed. */
const credentialHeaders: ReadonlySet<string> = new Set(['authorization', 'set-cookie', 'cookie', 'x-api-key']);

export function isCredential({ source }: Capture): boolean {
  return source.kind === 'cookie' || (source.kind === 'header' && credentialHeaders.has(source.name.toLowerCase()));
}
