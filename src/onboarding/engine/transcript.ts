/**
 * The transcript: every event as a line with its time, in `<data>/transcripts/<instance>.log`. It is the one file that a
 * teardown leaves. What it is told holds no secrets.
 */
import { appendFileSync, chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../environment/clock.ts';
import type { Paths } from '../../environment/paths.ts';
import type { OnboardingEvent } from './event.ts';

/** Its file. */
export function transcriptFile({ data }: Pick<Paths, 'data'>, instance: string): string {
  return join(data, 'transcripts', `${instance}.log`);
}

/** Writes; a disk that takes nothing more never stops an onboarding. */
export type Transcript = {
  /** Where it stands, once that is known. */
  readonly file: string | undefined;
  /** From now on it stands there; what was told before is written first. */
  settle(file: string): void;
  write(line: string): void;
  event(event: OnboardingEvent): void;
};

/** Opens one; lines are kept until its place is known. */
export function openTranscript(clock: Pick<Clock, 'nowMs'>): Transcript {
  const kept: string[] = [];
  const state: { file: string | undefined } = { file: undefined };
  const write = (text: string): void => {
    const line = `${new Date(clock.nowMs()).toISOString()} ${text.replaceAll(/[\r\n]+/g, ' ')}\n`;
    if (state.file === undefined) kept.push(line);
    else append(state.file, line);
  };
  return {
    get file() {
      return state.file;
    },
    settle(file) {
      state.file = file;
      append(file, kept.splice(0).join(''));
    },
    write,
    event: (event) => write(eventText(event)),
  };
}

function append(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, text, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch {
    // The onboarding is worth more than the record of it.
  }
}

function eventText(event: OnboardingEvent): string {
  switch (event.event) {
    case 'started':
      return `${event.operation}: ${event.steps.map(({ id }) => id).join(', ')}`;
    case 'step_started':
      return `${event.step}: started`;
    case 'step_detail':
      return `${event.step}: ${event.text}`;
    case 'step_ended':
      return `${event.step}: ${event.outcome} after ${event.duration_ms} ms: ${event.detail}`;
    case 'warning':
      return `warning: ${event.text}: ${event.cure}`;
    case 'failed':
      return 'failed';
    case 'open':
      // The address carries what belongs to one sign-in only; the record needs none of it.
      return `sign-in page told: ${new URL(event.url).origin}`;
  }
}
