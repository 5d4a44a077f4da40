/** A source of lines of the target's log, as the executor uses it. */

/** Lines that contain a text. */
export type LogWatch = {
  /**
   * The lines seen so far, in the order in which they were written. Grows up to 100,000 lines or 64 MB of text. A line
   * is complete up to 1 MB; of a longer one the beginning is kept, with a note at its end.
   */
  readonly lines: readonly string[];
  /**
   * For each of `lines`, when it was written, where the source knows, or else when it was seen; by the monotonic clock. Absent
   * where the source has no times.
   */
  readonly timesMs?: readonly number[];
  /** When the process that wrote the first of them was started; undefined where the source does not know. */
  readonly processStartedAtMs?: number | undefined;
  /** The digests of the images that the first line of each compose service came from, where the source knows them. */
  readonly images?: ReadonlyMap<string, string>;
  /** Resolves with true at the next line, with false after `timeoutMs` or when `signal` aborts. */
  changed(timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Removes the watch. A last line without a line break is added to `lines` as it is. */
  stop(): void;
};

/** Why no lines can be read, and how to fix it. `isFinal`: no further line will ever arrive. */
export type LogUnavailable = { readonly problem: string; readonly cure: string; readonly isFinal?: boolean };

/**
 * A followed log. It recovers from interruptions by itself, without losing lines; nothing from before its start is
 * read.
 */
export type LogSource = {
  /** Why no lines can be read now; undefined while they can. */
  getProblem(): LogUnavailable | undefined;
  /** Whether any line has come since the start, of whatever run: silence of a log that never spoke says nothing. */
  hasGivenLines(): boolean;
  /**
   * Resolves when no further line can be missed (lines are being read, or the file that does not exist yet will be read
   * from its start), or after `timeoutMs`, when `getProblem` returns the reason.
   */
  ready(timeoutMs: number): Promise<void>;
  /**
   * Collects the lines that contain `text`, which has no line break: new lines, and those among the last megabyte since
   * the source started, so that a watch may start late.
   */
  watch(text: string): LogWatch;
  close(): Promise<void>;
};
