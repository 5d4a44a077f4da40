/** A long task as a checklist: what its events say, gathered for whoever draws it. */

/** The events of a task with steps; the shape of those of onboarding and teardown. */
export type ChecklistEvent =
  | { readonly event: 'started'; readonly steps: readonly { readonly id: string; readonly title: string }[] }
  | { readonly event: 'step_started'; readonly step: string }
  | { readonly event: 'step_detail'; readonly step: string; readonly text: string }
  | {
      readonly event: 'step_ended';
      readonly step: string;
      readonly outcome: StepOutcome;
      readonly detail: string;
      readonly duration_ms: number;
    }
  | { readonly event: 'warning'; readonly text: string; readonly cure: string }
  | { readonly event: 'failed'; readonly transcript: string | null }
  | { readonly event: 'open'; readonly url: string; readonly user_code?: string };

/** How a step ended. */
export type StepOutcome = 'done' | 'kept' | 'short' | 'skipped' | 'failed' | 'undone' | 'stopped';

/** A line of the list. */
export type ChecklistLine = {
  readonly id: string;
  readonly title: string;
  readonly state: 'waiting' | 'running' | StepOutcome;
  readonly detail: string;
  /** Of one that has ended. */
  readonly durationMs: number | undefined;
  /** Of one that runs, by a clock that never jumps. */
  readonly startMs: number | undefined;
};

/** Everything there is to draw. */
export type Checklist = {
  readonly lines: readonly ChecklistLine[];
  readonly warnings: readonly { readonly text: string; readonly cure: string }[];
  /** A page to be opened, while the step that wants it runs. */
  readonly page: { readonly url: string; readonly userCode: string | undefined } | undefined;
};

/** Before anything has happened. */
export const emptyChecklist: Checklist = { lines: [], warnings: [], page: undefined };

/** The list after an event, at `nowMs`. */
export function after(list: Checklist, event: ChecklistEvent, nowMs: number): Checklist {
  switch (event.event) {
    case 'started':
      return { ...list, lines: event.steps.map(waiting) };
    case 'step_started':
      return changed(list, event.step, { state: 'running', detail: '', startMs: nowMs });
    case 'step_detail':
      return changed(list, event.step, { detail: event.text });
    case 'step_ended': {
      const { outcome: state, detail, duration_ms: durationMs } = event;
      return { ...changed(list, event.step, { state, detail, durationMs }), page: undefined };
    }
    case 'warning':
      return { ...list, warnings: [...list.warnings, { text: event.text, cure: event.cure }] };
    case 'failed':
      return { ...list, warnings: [...list.warnings, stopped(event.transcript)] };
    case 'open':
      return { ...list, page: { url: event.url, userCode: event.user_code } };
  }
}

function waiting({ id, title }: { readonly id: string; readonly title: string }): ChecklistLine {
  return { id, title, state: 'waiting', detail: '', durationMs: undefined, startMs: undefined };
}

function changed(list: Checklist, step: string, change: Partial<ChecklistLine>): Checklist {
  return { ...list, lines: list.lines.map((line) => (line.id === step ? { ...line, ...change } : line)) };
}

/** What is told of a task that an error has ended. */
export function stopped(transcript: string | null) {
  const cure = 'when that is cleared, run the same command again: it goes on from here';
  return { text: `stopped${transcript === null ? '' : `; the transcript is ${transcript}`}`, cure };
}

/** `0.4 s`, `12 s`. */
export function durationText(durationMs: number): string {
  return durationMs < 9950 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;
}

/** The mark before a step; each is told by its shape too, not by colour alone. */
export const marks: Readonly<Record<ChecklistLine['state'], string>> = {
  waiting: '·',
  running: '›',
  done: '✓',
  kept: '✓',
  short: '!',
  skipped: '-',
  failed: '✗',
  undone: '↺',
  stopped: '!',
};
