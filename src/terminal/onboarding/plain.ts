/** A checklist where nobody watches it live: a line for each step that has ended, in the order in which they end. */
import type { TextSink } from '../../environment/environment.ts';
import { printableLine } from '../../report/printable.ts';
import type { Paint } from '../paint.ts';
import { type ChecklistEvent, durationText, marks, type StepOutcome, stopped } from './checklist.ts';

/** Takes events and writes their lines. */
export function plainLines(sink: TextSink, paint: Paint): (event: ChecklistEvent) => void {
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
    else if (event.event === 'warning') sink.write(`${warningText(event, paint)}\n`);
    else if (event.event === 'failed') sink.write(`${warningText(stopped(event.transcript), paint)}\n`);
    else if (event.event === 'open') sink.write(openText(event));
    else if (event.event === 'step_ended') {
      const { step, outcome, detail, duration_ms } = event;
      const time = paint.faint(`(${durationText(duration_ms)})`);
      const words = [titles.get(step) ?? step, ...(detail === '' ? [] : [printableLine(detail)])].join(': ');
      sink.write(`${styles[outcome](marks[outcome])} ${words} ${time}\n`);
    }
  };
}

function warningText({ text, cure }: { readonly text: string; readonly cure: string }, paint: Paint): string {
  return `${paint.broken('!')} ${printableLine(text)}\n    ${printableLine(cure)}`;
}

function openText({ url, user_code: code }: { readonly url: string; readonly user_code?: string }): string {
  if (code !== undefined) return `open ${url} in a browser and type the code\n\n    ${code}\n\n`;
  return `open this page to sign in:\n  ${url}\n`;
}
