/** `until <check> within <time> [every <time>] [repeatable]`: the request is sent again until the check holds. */
import type { ReportProblem } from '../check/check-kind.ts';
import type { LinePiece } from './blocks.ts';
import type { Method, ScenarioCheck, Until } from './scenario.ts';

/** Milliseconds. */
export const untilLimits = { maxWithinMs: 600_000, minEveryMs: 50, maxEveryMs: 60_000, usualEveryMs: 500 } as const;

/** RFC 9110, 9.2.2, and QUERY: sending them again has no further effect. */
const idempotentMethods: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']);

const form = /^until\s+(.+)\s+within\s+(\d{1,6}m?s)(?:\s+every\s+(\d{1,6}m?s))?(\s+repeatable)?$/;

/** The parts of a bullet that begins with `until`. */
export type UntilText = {
  readonly check: LinePiece;
  readonly withinMs: number;
  readonly everyMs: number;
  readonly isRepeatable: boolean;
};

export function startsWithUntil(text: string): boolean {
  return /^until(?:\s|$)/.test(text);
}

function toMs(text: string): number {
  return text.endsWith('ms') ? Number(text.slice(0, -2)) : Number(text.slice(0, -1)) * 1000;
}

/** Undefined after a report. */
export function readUntil({ text, start }: LinePiece, report: ReportProblem): UntilText | undefined {
  const match = form.exec(text);
  const [, check = '', within = '', every, repeatable] = match ?? [];
  const withinMs = toMs(within);
  const everyMs = every === undefined ? untilLimits.usualEveryMs : toMs(every);
  const { maxWithinMs, minEveryMs, maxEveryMs } = untilLimits;
  const isEveryAllowed = everyMs >= minEveryMs && everyMs <= Math.min(maxEveryMs, withinMs);
  const isAllowed = withinMs > 0 && withinMs <= maxWithinMs && (every === undefined || isEveryAllowed);
  if (match === null || !isAllowed) {
    report('SCENARIO_UNTIL_INVALID', start, start + text.length, {});
    return undefined;
  }
  const checkStart = start + text.indexOf(check, 'until'.length);
  return {
    check: { text: check, start: checkStart },
    withinMs,
    everyMs: Math.min(everyMs, withinMs),
    isRepeatable: repeatable !== undefined,
  };
}

/** What must hold besides the form: one for each request, of the response, and nothing happens twice by it. */
export function checkUntil(
  entry: ScenarioCheck,
  { withinMs, everyMs, isRepeatable }: UntilText,
  method: Method | undefined,
  report: ReportProblem,
): Until {
  const { start, end } = entry.range;
  if (entry.definition.looksAt !== 'response') report('SCENARIO_UNTIL_EVIDENCE', start.offset, end.offset, {});
  if (method !== undefined && !isRepeatable && !idempotentMethods.has(method))
    report('SCENARIO_UNTIL_METHOD', start.offset, end.offset, { method });
  return { check: entry, withinMs, everyMs };
}
