/** Where lines of the target's log come from, as the executor sees it. */

/** Lines that contain a text. */
export type LogWatch = {
  /**
   * Those seen until now, in the order in which they were written. Grows, up to 100,000 lines or 64 MB of text. A line is
   * whole up to 1 MB; of a longer one its beginning is kept, with a note at its end.
   */
  readonly lines: readonly string[];
  /** Resolves with true at the next line, with false after `timeoutMs` or when `signal` aborts. */
  changed(timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Forgets the watch. A last line that still has no line break is taken into `lines` as it is. */
  end(): void;
};

/** Why no lines can be seen, and the next step. `isFinal`: no further line will ever come. */
export type LogTrouble = { readonly problem: string; readonly cure: string; readonly isFinal?: boolean };

/** A followed log. It goes on by itself after interruptions, with what came meanwhile; nothing from before its start is read. */
export type LogSource = {
  /** Why no lines can be seen at the moment, with the next step; undefined while they can. */
  trouble(): LogTrouble | undefined;
  /**
   * Resolves when no line can be missed any more (they are being seen, or the file that is not there yet will be read from
   * its start), or after `timeoutMs`, when `trouble` says what stands in the way.
   */
  ready(timeoutMs: number): Promise<void>;
  /**
   * Collects the lines that contain `text`, which has no line break in it: those that come, and those among the last
   * megabyte that came since the source's start, so that a watch may begin a moment late.
   */
  watch(text: string): LogWatch;
  close(): Promise<void>;
};
