/** Log and database evidence as people may read it. What checks see is concealed before; this takes the shorter secrets too. */
import { stringForm } from '../check/bounded.ts';
import type { Json, ObservedLog, ObservedQuery, Unavailable } from '../check/observed.ts';
import type { Evidence } from '../run/evidence.ts';
import type { Redactor } from './redact.ts';

/** `evidence` with its log and its queries redacted. */
export function shownEvidence(evidence: Evidence, { text }: Redactor): Evidence {
  const { log, queries } = evidence;
  return {
    ...evidence,
    log: log && { ...log, observed: shownLog(log.observed, text) },
    queries: queries?.map((query) => ({ ...query, observed: shownQuery(query.observed, text) })),
  };
}

type Redact = Redactor['text'];

function shownLog(observed: ObservedLog, redact: Redact): ObservedLog {
  if (observed.kind === 'unavailable') return shownWords(observed, redact);
  const lines = observed.lines.map((line) => ({
    ...line,
    text: redact(line.text),
    level: line.level && redact(line.level),
  }));
  return { ...observed, lines };
}

function shownQuery(observed: ObservedQuery, redact: Redact): ObservedQuery {
  if (observed.kind === 'unavailable') return shownWords(observed, redact);
  return { ...observed, rows: observed.rows.map((row) => row.map((value) => shownValue(value, redact))) };
}

function shownWords(observed: Unavailable, redact: Redact): Unavailable {
  return { ...observed, problem: redact(observed.problem), cure: redact(observed.cure) };
}

function shownValue(value: Json, redact: Redact): Json {
  if (value === null) return null;
  const plain = stringForm(value);
  const shown = redact(plain);
  return shown === plain ? value : shown;
}
