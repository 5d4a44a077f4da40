/** The state of a long task with steps, built from its events. */

/** The shape of the events of onboarding and teardown. */
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

export type StepOutcome = 'done' | 'kept' | 'short' | 'skipped' | 'failed' | 'undone' | 'stopped';

export type ChecklistLine = {
  readonly id: string;
  readonly title: string;
  readonly state: 'waiting' | 'running' | StepOutcome;
  readonly detail: string;
  /** Set for a step that has ended. */
  readonly durationMs: number | undefined;
  /** Set for a running step, on a monotonic clock. */
  readonly startMs: number | undefined;
};

export type Checklist = {
  readonly lines: readonly ChecklistLine[];
  readonly warnings: readonly { readonly text: string; readonly cure: string }[];
  /** A page to be opened, while its step is running. */
  readonly page: { readonly url: string; readonly userCode: string | undefined } | undefined;
};

export const emptyChecklist: Checklist = { lines: [], warnings: [], page: undefined };

export function applyChecklistEvent(list: Checklist, event: ChecklistEvent, nowMs: number): Checklist {
  switch (event.event) {
    case 'started':
      return { ...list, lines: event.steps.map(toWaitingLine) };
    case 'step_started':
      return updateLine(list, event.step, { state: 'running', detail: '', startMs: nowMs });
    case 'step_detail':
      return updateLine(list, event.step, { detail: event.text });
    case 'step_ended': {
      const { outcome: state, detail, duration_ms: durationMs } = event;
      return { ...updateLine(list, event.step, { state, detail, durationMs }), page: undefined };
    }
    case 'warning':
      return { ...list, warnings: [...list.warnings, { text: event.text, cure: event.cure }] };
    case 'failed':
      return { ...list, warnings: [...list.warnings, createStoppedWarning(event.transcript)] };
    case 'open':
      return { ...list, page: { url: event.url, userCode: event.user_code } };
  }
}

function toWaitingLine({ id, title }: { readonly id: string; readonly title: string }): ChecklistLine {
  return { id, title, state: 'waiting', detail: '', durationMs: undefined, startMs: undefined };
}

function updateLine(list: Checklist, step: string, change: Partial<ChecklistLine>): Checklist {
  return { ...list, lines: list.lines.map((line) => (line.id === step ? { ...line, ...change } : line)) };
}

/** The warning after an error has stopped the task. */
export function createStoppedWarning(transcript: string | null) {
  const cure = 'fix the problem, then run the same command again: it continues from here';
  return { text: `stopped${transcript === null ? '' : `; the transcript is ${transcript}`}`, cure };
}

/** `0.4 s`, `12 s`. */
export function formatStepDuration(durationMs: number): string {
  return durationMs < 9950 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;
}

/** Marks differ in shape, not only in colour. */
export const stepMarks: Readonly<Record<ChecklistLine['state'], string>> = {
  waiting: '·',
  running: '›',
  done: '✓',
  kept: '✓',
  short: '!',
  skipped: '-',
  failed: '✕',
  undone: '↺',
  stopped: '!',
};
