/** Plain checklist output: a line for each step when it ends. */
import type { TextSink } from '../../environment/environment.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import type { TerminalPaint } from '../paint.ts';
import {
  type ChecklistEvent,
  createStoppedWarning,
  formatStepDuration,
  type StepOutcome,
  stepMarks,
} from './checklist.ts';

export function createPlainOutput(sink: TextSink, paint: TerminalPaint): (event: ChecklistEvent) => void {
  const titles = new Map<string, string>();
  const styles: Readonly<Record<StepOutcome, (text: string) => string>> = {
    done: paint.passed,
    kept: paint.faint,
    short: paint.broken,
    skipped: paint.faint,
    failed: paint.failed,
    undone: paint.broken,
    stopped: paint.broken,
  };
  return (event) => {
    if (event.event === 'started') for (const { id, title } of event.steps) titles.set(id, title);
    else if (event.event === 'warning') sink.write(`${formatWarning(event, paint)}\n`);
    else if (event.event === 'failed') sink.write(`${formatWarning(createStoppedWarning(event.transcript), paint)}\n`);
    else if (event.event === 'open') sink.write(formatOpenPage(event));
    else if (event.event === 'step_ended') {
      const { step, outcome, detail, duration_ms } = event;
      const time = paint.faint(`(${formatStepDuration(duration_ms)})`);
      const line = [titles.get(step) ?? step, ...(detail === '' ? [] : [escapeUnsafeLine(detail)])].join(': ');
      sink.write(`${styles[outcome](stepMarks[outcome])} ${line} ${time}\n`);
    }
  };
}

function formatWarning({ text, cure }: { readonly text: string; readonly cure: string }, paint: TerminalPaint): string {
  return `${paint.broken('!')} ${escapeUnsafeLine(text)}\n    ${escapeUnsafeLine(cure)}`;
}

function formatOpenPage({ url, user_code: code }: { readonly url: string; readonly user_code?: string }): string {
  if (code !== undefined) return `open ${url} in a browser and enter the code\n\n    ${code}\n\n`;
  return `open this page to sign in:\n  ${url}\n`;
}
