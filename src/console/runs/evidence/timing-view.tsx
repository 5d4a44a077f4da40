import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { formatDuration } from '../../../report/measures.ts';
import type { Report } from '../../../report/report.ts';
import {
  type AxisTrack,
  buildRunAxis,
  formatOffset,
  fromAxisPosition,
  isQueueShortened,
  type RunAxis,
  toAxisPosition,
} from '../../../report/run-axis.ts';
import { formatCount } from '../../text/format.ts';
import { describeMoment, findEventBefore, listEvents, moveToEvent } from './timing-events.ts';
import { TimingEvents } from './timing-events-list.tsx';

/** What happened in a run on one time axis: a pointer, the arrow keys or a row of the list move the mark on all tracks. */
export function TimingView({ report }: { report: Report }) {
  const { axis, events } = useMemo(() => {
    const built = buildRunAxis(report);
    return { axis: built, events: listEvents(built) };
  }, [report]);
  const [atMs, setAtMs] = useState(axis.startMs);
  const position = toAxisPosition(axis, atMs);
  return (
    <>
      <TimingCursor axis={axis} events={events} atMs={atMs} onMove={setAtMs} />
      <table className="timing">
        <caption className="visually-hidden">Timing</caption>
        <tbody>
          {axis.tracks.map((track) => (
            <TimingTrack key={track.name} axis={axis} track={track} position={position} onMove={setAtMs} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">total</th>
            <td className="timing-duration">{formatDuration(axis.endMs - axis.startMs)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
      {isQueueShortened(axis) ? <p className="faint">The wait in the queue is drawn shorter than it was.</p> : null}
      <TimingEvents events={events} selected={findEventBefore(events, atMs)} onMove={setAtMs} />
    </>
  );
}

const sliderSteps = 1000;

type TimingCursorProps = {
  readonly axis: RunAxis;
  readonly events: ReturnType<typeof listEvents>;
  readonly atMs: number;
  readonly onMove: (atMs: number) => void;
};

/** The arrow keys go from event to event: steps of equal length would miss what is close together. */
function TimingCursor({ axis, events, atMs, onMove }: TimingCursorProps) {
  const offset = formatOffset(atMs);
  const text = describeMoment(axis, atMs);
  return (
    <div className="timing-cursor">
      <input
        type="range"
        aria-label="Time in the run"
        aria-valuetext={`${offset}: ${text}`}
        min={0}
        max={sliderSteps}
        step="any"
        value={toAxisPosition(axis, atMs) * sliderSteps}
        onChange={({ target }) => onMove(fromAxisPosition(axis, Number(target.value) / sliderSteps))}
        onKeyDown={(event) => {
          const moved = moveToEvent(events, atMs, event.key);
          if (moved === undefined) return;
          event.preventDefault();
          onMove(moved);
        }}
      />
      <p className="timing-moment">
        <output className="mono">{offset}</output> <span>{text}</span>
      </p>
    </div>
  );
}

type TimingTrackProps = {
  readonly axis: RunAxis;
  readonly track: AxisTrack;
  readonly position: number;
  readonly onMove: (atMs: number) => void;
};

function TimingTrack({ axis, track, position, onMove }: TimingTrackProps) {
  const bar = useRef<SVGSVGElement>(null);
  const follow = ({ clientX }: PointerEvent): void => {
    const { left = 0, width = 0 } = bar.current?.getBoundingClientRect() ?? {};
    if (width > 0) onMove(fromAxisPosition(axis, Math.min(1, Math.max(0, (clientX - left) / width))));
  };
  return (
    <tr>
      <th scope="row">{track.name}</th>
      <td className="timing-duration">{measureTrack(track)}</td>
      <td className="timing-bar" aria-hidden="true" onPointerMove={follow} onPointerDown={follow}>
        <svg ref={bar} aria-hidden="true">
          <TrackMarks axis={axis} track={track} />
          <line className="timing-line" x1={toPercent(position)} x2={toPercent(position)} y1="0" y2="100%" />
        </svg>
      </td>
    </tr>
  );
}

function TrackMarks({ axis, track: { kind, marks } }: { axis: RunAxis; track: AxisTrack }) {
  return (
    <>
      {marks.map(({ startMs, endMs, isFailed }, index) => {
        const start = toAxisPosition(axis, startMs);
        const width = kind === 'moments' ? '2px' : `max(2px, ${toPercent(toAxisPosition(axis, endMs) - start)})`;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: marks may be alike, and never change places
            key={index}
            className={isFailed ? 'is-failed' : undefined}
            x={toPercent(start)}
            y="25%"
            height="50%"
            style={{ width }}
          />
        );
      })}
    </>
  );
}

function toPercent(position: number): string {
  return `${position * 100}%`;
}

function measureTrack({ kind, marks }: AxisTrack): string {
  if (kind === 'moments') return formatCount(marks.length, 'line');
  return formatDuration(marks.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0));
}
