/** The application's own log: one JSON text per event, written to a function. */

/** Numeric levels of the common JSON loggers of Node. */
export const levels = { info: 30, warn: 40, error: 50, fatal: 60 } as const;
export type Level = keyof typeof levels;

/** Time as a parameter; both in milliseconds, `monotonicMs` from an arbitrary start. */
export type ExampleClock = { nowMs(): number; monotonicMs(): number };

/** Fields besides level, time and msg; undefined values are omitted. */
export type EventFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type EventLog = (level: Level, msg: string, fields?: EventFields) => void;

/** Passes each line, without its line break, to `write`. `time` is in milliseconds since 1970. */
export function eventLog(write: (line: string) => void, clock: ExampleClock): EventLog {
  return (level, msg, fields = {}) =>
    write(JSON.stringify({ level: levels[level], time: clock.nowMs(), msg, ...fields }));
}
