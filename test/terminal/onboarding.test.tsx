/** The faces of a long task: the live checklist, and its plain lines. */
import { render } from 'ink-testing-library';
import t from 'tap';
import {
  after,
  type Checklist,
  type ChecklistEvent,
  durationText,
  emptyChecklist,
} from '../../src/terminal/onboarding/checklist.ts';
import { plainLines } from '../../src/terminal/onboarding/plain.ts';
import { ChecklistScreen } from '../../src/terminal/onboarding/screen.tsx';
import { paintFor } from '../../src/terminal/paint.ts';

const events: readonly ChecklistEvent[] = [
  {
    event: 'started',
    steps: [
      { id: 'preflight', title: 'this machine is ready' },
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

const listed = (all: readonly ChecklistEvent[]): Checklist =>
  all.reduce((list, event) => after(list, event, 1000), emptyChecklist);

function frameOf(list: Checklist, nowMs = 3500): string {
  const { lastFrame, unmount } = render(<ChecklistScreen list={list} nowMs={nowMs} coloured={false} />);
  const frame = lastFrame() ?? '';
  unmount();
  return frame;
}

t.test('the screen has every step on a line of its own, and what the one in hand does', async (t) => {
  const lines = frameOf(listed(events)).split('\n');
  t.match(lines[0], /^ ✓ this machine is ready docker 26 +0\.4 s$/);
  t.match(lines[1], /^ › signed in +2\.5 s$/);
  t.match(lines[2], /^ {3}waiting for.* the code$/);
  t.notMatch(lines[2], '\u001b');
  t.match(lines[3], /^ · log line and database/);
  const rest = lines.slice(4).join('\n');
  t.match(rest, /type the code:\n.*\/device\n.*ABCD-EFGH/);
  t.match(rest, /! little memory\n *end programs/);
});

t.test('the page goes when the step that wanted it ends', async (t) => {
  const ended: ChecklistEvent = {
    event: 'step_ended',
    step: 'sign-in',
    outcome: 'done',
    detail: 'Ana',
    duration_ms: 9,
  };
  t.equal(listed([...events, ended]).page, undefined);
});

t.test('plain lines tell each step when it has ended, and NO_COLOR is heeded', async (t) => {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) };
  const tell = plainLines(sink, paintFor(sink, { NO_COLOR: '1' }));
  for (const event of events) tell(event);
  const short: ChecklistEvent = {
    ...{ event: 'step_ended', step: 'proof', outcome: 'short', detail: 'no log line\nfound', duration_ms: 12_400 },
  } as const;
  tell(short);
  const text = written.join('');
  t.match(text, /^✓ this machine is ready: docker 26 \(0\.4 s\)\n! little memory\n {4}end programs\n/);
  t.match(text, /type the code\n\n {4}ABCD-EFGH\n/);
  t.match(text, /^! log line and database: no log line.+found \(12 s\)$/m);
  t.notMatch(text, '\u001b');
  t.equal(durationText(9949), '9.9 s');
});
