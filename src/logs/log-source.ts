/** Where lines of the target's log come from, as the executor sees it. */

/** Lines that contain a text, from the moment of watching on. */
export type LogWatch = {
  /** Those seen until now, in the order in which they were written. Grows. */
  readonly lines: readonly string[];
  /** Resolves with true at the next line, with false after `timeoutMs` or when `signal` aborts. */
  changed(timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Forgets the watch. */
  end(): void;
};

/** A followed log. It goes on by itself after interruptions; nothing is read back from before its start. */
export type LogSource = {
  /** Why no lines can be seen at the moment, with the next step; undefined while they can. */
  trouble(): { readonly problem: string; readonly cure: string } | undefined;
  /** Resolves when lines are being seen, or with the trouble that stands in the way after `timeoutMs`. */
  ready(timeoutMs: number): Promise<void>;
  /** Collects the lines that contain `text`. */
  watch(text: string): LogWatch;
  close(): Promise<void>;
};
