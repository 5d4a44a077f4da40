/**
 * The transcript: every event as a line with its time, in `<data>/transcripts/<instance>.log`. It is the only file that a
 * teardown leaves. It contains no secrets, because events contain none.
 */
import { appendFileSync, chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../environment/clock.ts';
import type { UserPaths } from '../../environment/paths.ts';
import type { OnboardingEvent } from './event.ts';

export function getTranscriptPath({ data }: Pick<UserPaths, 'data'>, instance: string): string {
  return join(data, 'transcripts', `${instance}.log`);
}

/** Writing never fails: a full disk must not stop an onboarding. */
export type Transcript = {
  /** Undefined until `attach`. */
  readonly file: string | undefined;
  /** Sets the file and writes the buffered lines. */
  attach(file: string): void;
  write(line: string): void;
  event(event: OnboardingEvent): void;
};

/** Lines are buffered until `attach`. */
export function openTranscript(clock: Pick<Clock, 'nowMs'>): Transcript {
  const bufferedLines: string[] = [];
  const state: { file: string | undefined } = { file: undefined };
  const write = (text: string): void => {
    const line = `${new Date(clock.nowMs()).toISOString()} ${text.replaceAll(/[\r\n]+/g, ' ')}\n`;
    if (state.file === undefined) bufferedLines.push(line);
    else appendText(state.file, line);
  };
  return {
    get file() {
      return state.file;
    },
    attach(file) {
      state.file = file;
      appendText(file, bufferedLines.splice(0).join(''));
    },
    write,
    event: (event) => write(formatEvent(event)),
  };
}

function appendText(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, text, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch {
    // The onboarding matters more than its transcript.
  }
}

function formatEvent(event: OnboardingEvent): string {
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
      // The rest of the address is a credential of that sign-in.
      return `sign-in page: ${new URL(event.url).origin}`;
  }
}
