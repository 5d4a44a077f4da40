import { useEffect, useRef } from 'react';
import { formatEventTime, type TimingEvent } from './timing-events.ts';

type TimingEventsProps = {
  readonly events: readonly TimingEvent[];
  readonly selected: TimingEvent | undefined;
  readonly onMove: (atMs: number) => void;
};

/** What happened, in its order. The row of the mark is highlighted and kept in view. */
export function TimingEvents({ events, selected, onMove }: TimingEventsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="lines timing-events" aria-label="Events" tabIndex={0}>
      <ol>
        {events.map((event, index) => (
          <EventRow
            // biome-ignore lint/suspicious/noArrayIndexKey: events may be alike, and never change places
            key={index}
            event={event}
            isSelected={event === selected}
            onMove={onMove}
          />
        ))}
      </ol>
    </section>
  );
}

type EventRowProps = {
  readonly event: TimingEvent;
  readonly isSelected: boolean;
  readonly onMove: (atMs: number) => void;
};

/** The same is reached with the arrow keys of the slider. */
function EventRow({ event, isSelected, onMove }: EventRowProps) {
  const { note, label, startMs, isFailed } = event;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const list = row.current?.closest('section');
    if (!isSelected || !row.current || !list || list.matches(':hover')) return;
    const top = row.current.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + row.current.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - list.clientHeight / 2;
  }, [isSelected]);
  return (
    <li
      ref={row}
      aria-current={isSelected ? 'true' : undefined}
      className={isFailed ? 'is-error' : undefined}
      onPointerMove={() => onMove(startMs)}
      onPointerDown={() => onMove(startMs)}
    >
      <span className="level">{formatEventTime(event)}</span>
      <span className="faint">{note}</span>
      <code>{label}</code>
    </li>
  );
}
