/** Periods of a comparison: what the address says, and the ones that are proposed. Days are those of the reader's time zone. */
import type { ComparedSide } from '../../client/insight.ts';

/** RFC 3339. Without `headUntil` the second one goes on. */
export type ComparedPeriods = {
  readonly baseSince: string;
  readonly baseUntil: string;
  readonly headSince: string;
  readonly headUntil: string | undefined;
};

export const periodPresets = [
  ['week', 'last and this week'],
  ['day', 'yesterday and today'],
  ['moment', 'before and after'],
  ['own', 'two others'],
] as const;
export type PeriodPreset = (typeof periodPresets)[number][0];

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const parameters = {
  baseSince: 'base_since',
  baseUntil: 'base_until',
  headSince: 'head_since',
  headUntil: 'head_until',
} as const;

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Midnight of the day that is so many days before; clock changes make days of 23 and 25 hours. */
function findMidnight(nowMs: number, daysBefore: number): string {
  const now = new Date(nowMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore).toISOString();
}

/** Weeks begin on Monday. */
export function findLastWeeks(nowMs: number): ComparedPeriods {
  const sinceMonday = (new Date(nowMs).getDay() + 6) % 7;
  const monday = findMidnight(nowMs, sinceMonday);
  return {
    ...{ baseSince: findMidnight(nowMs, sinceMonday + 7), baseUntil: monday },
    ...{ headSince: monday, headUntil: undefined },
  };
}

export function findLastDays(nowMs: number): ComparedPeriods {
  const midnight = findMidnight(nowMs, 0);
  return { baseSince: findMidnight(nowMs, 1), baseUntil: midnight, headSince: midnight, headUntil: undefined };
}

/** A week on each side, as far as there is one. */
export function findAround(momentMs: number, nowMs: number): ComparedPeriods {
  const moment = toIso(momentMs);
  const isOver = momentMs + weekMs < nowMs;
  return {
    ...{ baseSince: toIso(momentMs - weekMs), baseUntil: moment },
    ...{ headSince: moment, headUntil: isOver ? toIso(momentMs + weekMs) : undefined },
  };
}

function readTime(search: URLSearchParams, name: string): string | undefined {
  const epochMs = Date.parse(search.get(name) ?? '');
  return Number.isNaN(epochMs) ? undefined : toIso(epochMs);
}

/** Undefined where the address names none, or not both. */
export function readPeriods(search: URLSearchParams): ComparedPeriods | undefined {
  const [baseSince, baseUntil] = [readTime(search, parameters.baseSince), readTime(search, parameters.baseUntil)];
  const headSince = readTime(search, parameters.headSince);
  if (baseSince === undefined || baseUntil === undefined || headSince === undefined) return undefined;
  return { baseSince, baseUntil, headSince, headUntil: readTime(search, parameters.headUntil) };
}

export function writePeriods(search: URLSearchParams, periods: ComparedPeriods): void {
  for (const [member, name] of Object.entries(parameters)) {
    const time = periods[member as keyof ComparedPeriods];
    if (time === undefined) search.delete(name);
    else search.set(name, time);
  }
}

/** What is wrong with periods, for people; undefined where nothing is. */
export function findPeriodProblem({ baseSince, baseUntil, headSince, headUntil }: ComparedPeriods): string | undefined {
  if (baseSince >= baseUntil) return 'The first period ends before it begins.';
  return headUntil !== undefined && headSince >= headUntil ? 'The second period ends before it begins.' : undefined;
}

export function toPeriodSides({
  baseSince,
  baseUntil,
  headSince,
  headUntil,
}: ComparedPeriods): readonly [ComparedSide, ComparedSide] {
  const head = headUntil === undefined ? { since: headSince } : { since: headSince, until: headUntil };
  return [{ since: baseSince, until: baseUntil }, head];
}

/** As an input of the browser has it, in local time; empty for no time. */
export function toLocalInput(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** Undefined for an empty or incomplete input. */
export function fromLocalInput(text: string): string | undefined {
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : toIso(epochMs);
}
