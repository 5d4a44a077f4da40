/** The views of a long task: the live checklist and the plain lines. */
import { render } from 'ink-testing-library';
import t from 'tap';
import {
  applyChecklistEvent,
  type Checklist,
  type ChecklistEvent,
  emptyChecklist,
  formatStepDuration,
} from '../../src/terminal/onboarding/checklist.ts';
import { createPlainOutput } from '../../src/terminal/onboarding/plain-output.ts';
import { ChecklistScreen } from '../../src/terminal/onboarding/screen.tsx';
import { paintFor } from '../../src/terminal/paint.ts';

const events: readonly ChecklistEvent[] = [
  {
    event: 'started',
    steps: [
      { id: 'preflight', title: 'preflight checks' },
      { id: 'sign-in', title: 'signed in' },
      { id: 'proof', title: 'log line and database' },
    ],
  },
  { event: 'step_started', step: 'preflight' },
  { event: 'step_ended', step: 'preflight', outcome: 'kept', detail: 'docker 26', duration_ms: 412 },
  { event: 'warning', text: 'little memory', cure: 'end programs' },
  { event: 'step_started', step: 'sign-in' },
  { event: 'step_detail', step: 'sign-in', text: 'waiting for\u001b[31m the code' },
  { event: 'open', url: 'http://127.0.0.1:7700/device', user_code: 'ABCD-EFGH' },
];

const applyAll = (all: readonly ChecklistEvent[]): Checklist =>
  all.reduce((list, event) => applyChecklistEvent(list, event, 1000), emptyChecklist);

function renderFrame(list: Checklist, nowMs = 3500): string {
  const { lastFrame, unmount } = render(<ChecklistScreen list={list} nowMs={nowMs} coloured={false} />);
  const frame = lastFrame() ?? '';
  unmount();
  return frame;
}

t.test('the screen has a line per step, and details of the current step', async (t) => {
  const lines = renderFrame(applyAll(events)).split('\n');
  t.match(lines[0], /^ ✓ preflight checks: docker 26 +0\.4 s$/);
  t.match(lines[1], /^ › signed in +2\.5 s$/);
  t.match(lines[2], /^ {3}waiting for.* the code$/);
  t.notMatch(lines[2], '\u001b');
  t.match(lines[3], /^ · log line and database/);
  const remaining = lines.slice(4).join('\n');
  t.match(remaining, /enter the code:\n.*\/device\n.*ABCD-EFGH/);
  t.match(remaining, /^ ! little memory\n {3}end programs$/m);
});

t.test('the page is removed when its step ends', async (t) => {
  const ended: ChecklistEvent = {
    event: 'step_ended',
    step: 'sign-in',
    outcome: 'done',
    detail: 'Ana',
    duration_ms: 9,
  };
  t.equal(applyAll([...events, ended]).page, undefined);
});

t.test('plain output has a line per ended step, and respects NO_COLOR', async (t) => {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) };
  const handleEvent = createPlainOutput(sink, paintFor(sink, { NO_COLOR: '1' }));
  for (const event of events) handleEvent(event);
  const short: ChecklistEvent = {
    ...{ event: 'step_ended', step: 'proof', outcome: 'short', detail: 'no log line\nfound', duration_ms: 12_400 },
  } as const;
  handleEvent(short);
  const text = written.join('');
  t.match(text, /^✓ preflight checks: docker 26 \(0\.4 s\)\n! little memory\n {4}end programs\n/);
  t.match(text, /enter the code\n\n {4}ABCD-EFGH\n/);
  t.match(text, /^! log line and database: no log line.+found \(12 s\)$/m);
  t.notMatch(text, '\u001b');
  t.equal(formatStepDuration(9949), '9.9 s');
});

t.test('a list that is longer than the terminal is shown around its current step', async (t) => {
  const steps = Array.from({ length: 19 }, (_, index) => ({ id: `s${index}`, title: `step ${index}` }));
  const started = applyAll([
    { event: 'started', steps },
    { event: 'warning', text: 'little memory', cure: 'end programs' },
    ...steps.slice(0, 9).flatMap(({ id }): ChecklistEvent[] => [
      { event: 'step_started', step: id },
      { event: 'step_ended', step: id, outcome: 'kept', detail: 'fine', duration_ms: 5 },
    ]),
    { event: 'step_started', step: 's9' },
    { event: 'step_detail', step: 's9', text: 'a detail' },
    { event: 'open', url: 'http://127.0.0.1:7700/device', user_code: 'ABCD-EFGH' },
  ]);
  for (const maxRows of [18, 24, 12]) {
    const { lastFrame, unmount } = render(
      <ChecklistScreen list={started} nowMs={1000} coloured={false} maxRows={maxRows} />,
    );
    const frame = lastFrame() ?? '';
    unmount();
    // Ink erases a frame only if it is shorter than the terminal.
    t.ok(frame.split('\n').length < maxRows, `${frame.split('\n').length} of ${maxRows} rows`);
    t.match(frame, /› step 9\n? /, 'the current step');
    t.match(frame, /… \d+ steps before/);
    t.match(frame, /… \d+ steps after/);
    t.match(frame, /ABCD-EFGH/);
  }
  const whole = renderFrame(started);
  for (const { title } of steps) t.ok(whole.includes(title), title);
});
