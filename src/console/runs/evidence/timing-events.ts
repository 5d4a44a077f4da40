/** The events of a run's time axis in their order, and which of them are at a moment. */
import { type AxisMark, formatOffset, type RunAxis } from '../../../report/run-axis.ts';

/** `note`: what its label does not say. */
export type TimingEvent = AxisMark & { readonly note: string };

export function listEvents({ tracks }: RunAxis): TimingEvent[] {
  const events = tracks.flatMap(({ kind, marks }) =>
    marks.map((mark) => ({ ...mark, note: kind === 'moments' ? 'log line' : '' })),
  );
  return events.sort((a, b) => a.startMs - b.startMs);
}

/** The last event that began until then. */
export function findEventBefore(events: readonly TimingEvent[], atMs: number): TimingEvent | undefined {
  return events.findLast(({ startMs }) => startMs <= atMs);
}

/** Where a key leads: to the next or previous time at which something began, or to an end. Undefined for other keys. */
export function moveToEvent(events: readonly TimingEvent[], atMs: number, key: string): number | undefined {
  const times = events.map(({ startMs }) => startMs);
  const last = times.at(-1) ?? atMs;
  if (key === 'Home') return times[0] ?? atMs;
  if (key === 'End') return last;
  if (key === 'ArrowRight' || key === 'ArrowUp') return times.find((time) => time > atMs) ?? last;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return times.findLast((time) => time < atMs) ?? times[0];
  return undefined;
}

/** This part of the axis is at the pointer. */
const nearShare = 0.005;
const maxNames = 3;

/** What went on at a moment: periods that last, and moments beside it. */
export function describeMoment(axis: RunAxis, atMs: number): string {
  const nearMs = (axis.endMs - Math.max(0, axis.startMs)) * nearShare;
  const names = axis.tracks.flatMap(({ kind, marks }) =>
    marks
      .filter(({ startMs, endMs }) =>
        kind === 'moments' ? Math.abs(startMs - atMs) <= nearMs : startMs <= atMs && (atMs < endMs || startMs === atMs),
      )
      .map(({ label }) => label),
  );
  if (names.length === 0) return 'nothing is known to have happened';
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(' · ')} and ${more} more` : names.join(' · ');
}

/** `+12.3 ms`, or from when to when. */
export function formatEventTime({ startMs, endMs }: TimingEvent): string {
  return startMs === endMs ? formatOffset(startMs) : `${formatOffset(startMs)} to ${formatOffset(endMs)}`;
}
