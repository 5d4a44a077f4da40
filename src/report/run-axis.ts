/**
 * What happened in a run, on one time axis: its wait in the queue, the steps, the phases of the request, log lines, queries, the
 * cleanup. Times are milliseconds from the moment the executor took the run up, so that the queue is before zero.
 */
import { formatDuration } from './measures.ts';
import type { Report, ReportStep } from './report.ts';

/** A period, or a moment where both times are the same. */
export type AxisMark = {
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
};

export type AxisTrack = {
  readonly name: string;
  readonly kind: 'periods' | 'moments';
  readonly marks: readonly AxisMark[];
};

export type RunAxis = {
  /** Zero, or negative where the run was queued. */
  readonly startMs: number;
  readonly endMs: number;
  /** The part of the axis before zero, from 0 to 1. A long wait is drawn shorter than it was, so that the run remains legible. */
  readonly queueShare: number;
  readonly tracks: readonly AxisTrack[];
};

const maxQueueShare = 0.15;

export function buildRunAxis(report: Report): RunAxis {
  const { queued_ms: queuedMs } = report.timings;
  const tracks = [
    createTrack('queued', [[-queuedMs, 0]]),
    ...listEarlier(report),
    ...listPhases(report.timings),
    createLineTrack(report),
    ...report.queries.map(createQueryTrack),
    createStepTrack('cleanup', report.cleanup),
  ].filter((track) => track.marks.length > 0);
  const ends = tracks.flatMap(({ marks }) => marks.map(({ endMs }) => endMs));
  const endMs = Math.max(0.001, ...ends);
  const share = queuedMs / (queuedMs + endMs);
  return { startMs: 0 - queuedMs, endMs, queueShare: Math.min(share, maxQueueShare), tracks };
}

/** True where the queue is drawn shorter than it was. */
export function isQueueShortened({ startMs, endMs, queueShare }: RunAxis): boolean {
  return -startMs / (endMs - startMs) > queueShare + 0.001;
}

/** From 0 to 1. */
export function toAxisPosition({ startMs, endMs, queueShare }: RunAxis, atMs: number): number {
  const position =
    atMs < 0 ? ((atMs - startMs) / -startMs) * queueShare : queueShare + (atMs / endMs) * (1 - queueShare);
  return Math.min(1, Math.max(0, position));
}

/** The inverse of `toAxisPosition`. */
export function fromAxisPosition({ startMs, endMs, queueShare }: RunAxis, position: number): number {
  return position < queueShare
    ? startMs - (position / queueShare) * startMs
    : ((position - queueShare) / (1 - queueShare)) * endMs;
}

type Period = readonly [startMs: number, endMs: number];

function createTrack(name: string, periods: readonly Period[]): AxisTrack {
  const marks = periods.flatMap(([startMs, endMs]) =>
    endMs > startMs ? [{ label: name, startMs, endMs, isFailed: false }] : [],
  );
  return { name, kind: 'periods', marks };
}

/** Everything before the request that the phases are about. Reports of older executors do not say when steps were sent. */
function listEarlier({ timings, steps = [], cases, attempts = 1 }: Report): AxisTrack[] {
  const { before_ms: beforeMs = 0 } = timings;
  const periods = steps.map(getPeriod).filter((period) => period !== undefined);
  const [first] = periods;
  if (!first) {
    const names = [cases && 'cases', steps.length > 0 && 'steps', attempts > 1 && 'attempts'].filter(Boolean);
    return [createTrack(`earlier ${names.join(' and ')}`.trim(), [[0, beforeMs]])];
  }
  const lastMs = Math.max(...periods.map(([, endMs]) => endMs));
  return [
    createTrack('earlier cases', cases ? [[0, first[0]]] : []),
    createStepTrack('steps', steps),
    createTrack('earlier attempts', attempts > 1 ? [[lastMs, beforeMs]] : []),
  ];
}

/** Undefined where it was not sent, or when is not known. */
function getPeriod({ at_ms: atMs, total_ms: totalMs }: ReportStep): Period | undefined {
  return atMs === undefined || totalMs === null ? undefined : [atMs, atMs + totalMs];
}

function createStepTrack(name: string, steps: readonly ReportStep[] = []): AxisTrack {
  const marks = steps.flatMap((step) => {
    const period = getPeriod(step);
    if (!period) return [];
    const [startMs, endMs] = period;
    return [
      {
        label: `${name === 'steps' ? 'step' : name} ${step.name}`,
        startMs,
        endMs,
        isFailed: step.outcome === 'failed',
      },
    ];
  });
  return { name, kind: 'periods', marks };
}

/** Each begins where the one before it ended; those that were not reached are omitted. */
function listPhases(timings: Report['timings']): AxisTrack[] {
  const { before_ms: beforeMs = 0, total_ms: totalMs, evidence_ms: evidenceMs } = timings;
  const ends = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['judged', totalMs],
    ['log and database', evidenceMs === null ? null : totalMs + evidenceMs],
  ] as const;
  let startMs = beforeMs;
  return ends.flatMap(([name, atMs]) => {
    if (atMs === null) return [];
    const endMs = Math.max(startMs, beforeMs + atMs);
    const mark = { label: name, startMs, endMs, isFailed: false };
    startMs = endMs;
    return [{ name, kind: 'periods' as const, marks: [mark] }];
  });
}

const maxTextLength = 200;

function createLineTrack({ log }: Report): AxisTrack {
  const marks = (log?.lines ?? []).flatMap(({ text, error, at_ms: atMs }) =>
    atMs === undefined ? [] : [{ label: text.slice(0, maxTextLength), startMs: atMs, endMs: atMs, isFailed: error }],
  );
  return { name: 'log lines', kind: 'moments', marks };
}

function createQueryTrack({
  name,
  at_ms: atMs,
  duration_ms: durationMs,
  problem,
}: Report['queries'][number]): AxisTrack {
  const period = atMs === undefined ? [] : [{ startMs: atMs, endMs: atMs + durationMs }];
  const marks = period.map((times) => ({ label: `query ${name}`, ...times, isFailed: problem !== null }));
  return { name: `query ${name}`, kind: 'periods', marks };
}

/** `+12.3 ms`, from the run's start; `−2 s` in the queue. */
export function formatOffset(ms: number): string {
  const size = Math.abs(ms);
  const text = size >= 9.95 && size < 99.95 ? `${size.toFixed(1)} ms` : formatDuration(size);
  return `${ms < 0 ? '−' : '+'}${text}`;
}
