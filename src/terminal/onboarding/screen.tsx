/** A live checklist on a terminal: all steps in order with their times, and details of the current step. */
import { Box, render, renderToString, Text } from 'ink';
import { useEffect, useState } from 'react';
import type { Clock } from '../../environment/clock.ts';
import type { TextSink } from '../../environment/environment.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import {
  applyChecklistEvent,
  type Checklist,
  type ChecklistEvent,
  type ChecklistLine,
  emptyChecklist,
  formatStepDuration,
  stepMarks,
} from './checklist.ts';

const redrawMs = 200;

type Colour = 'green' | 'red' | 'yellow' | 'cyan' | undefined;

const colours: Readonly<Record<ChecklistLine['state'], Colour>> = {
  waiting: undefined,
  running: 'cyan',
  done: 'green',
  kept: 'green',
  short: 'yellow',
  skipped: undefined,
  failed: 'red',
  undone: 'yellow',
  stopped: 'yellow',
};

type LineProps = { readonly line: ChecklistLine; readonly nowMs: number; readonly coloured: boolean };

function Line({ line, nowMs, coloured }: LineProps) {
  const { state, title, detail, durationMs, startMs } = line;
  const colour = coloured ? colours[state] : undefined;
  const quiet = state === 'waiting' || state === 'skipped';
  const elapsedMs = durationMs ?? (state === 'running' && startMs !== undefined ? nowMs - startMs : undefined);
  return (
    <Box flexDirection="column">
      <Box>
        <Box flexShrink={0} width={3}>
          <Text {...(colour ? { color: colour } : {})}> {stepMarks[state]}</Text>
        </Box>
        <Box flexGrow={1}>
          <Text bold={state === 'running'} dimColor={coloured && quiet} wrap="truncate">
            {title}
            {state !== 'running' && detail !== '' ? (
              <Text dimColor={coloured}>: {escapeUnsafeLine(detail)}</Text>
            ) : null}
          </Text>
        </Box>
        <Box flexShrink={0} marginLeft={1}>
          <Text dimColor={coloured}>{elapsedMs === undefined ? '' : formatStepDuration(elapsedMs)}</Text>
        </Box>
      </Box>
      {state === 'running' && detail !== '' ? (
        <Box paddingLeft={3}>
          <Text dimColor={coloured} wrap="truncate">
            {escapeUnsafeLine(detail)}
          </Text>
        </Box>
      ) : null}
    </Box>
  );
}

/** Lines that fit, around the first that has not ended; the counts say what is left out. */
function selectLines(lines: readonly ChecklistLine[], maxLines: number) {
  if (lines.length <= maxLines) return { lines, before: 0, after: 0 };
  const firstOpen = lines.findIndex(({ state }) => state === 'waiting' || state === 'running');
  const current = firstOpen === -1 ? lines.length - 1 : firstOpen;
  const count = Math.max(1, maxLines - 2);
  const start = Math.min(Math.max(0, current - Math.floor(count / 2)), lines.length - count);
  return { lines: lines.slice(start, start + count), before: start, after: lines.length - start - count };
}

/** Rows for the page to open, the details of the running step, and the line of the cursor. */
function countOtherRows({ page, warnings }: Checklist): number {
  const pageRows = page ? 6 : 0;
  return pageRows + 2 * warnings.length + 2;
}

function Omitted({
  count,
  what,
  coloured,
}: {
  readonly count: number;
  readonly what: string;
  readonly coloured: boolean;
}) {
  return count === 0 ? null : (
    <Text dimColor={coloured}>
      {'   '}… {count} {what}
    </Text>
  );
}

/** `nowMs` is of a monotonic clock. With `maxRows` it stays within a terminal: ink cannot erase what has scrolled out of it. */
export function ChecklistScreen(props: {
  readonly list: Checklist;
  readonly nowMs: number;
  readonly coloured: boolean;
  readonly maxRows?: number;
}) {
  const { list: wholeList, nowMs, coloured, maxRows = Number.POSITIVE_INFINITY } = props;
  const maxWarnings = Math.max(0, Math.floor((maxRows - 8) / 4));
  const warnings = Number.isFinite(maxRows)
    ? wholeList.warnings.slice(wholeList.warnings.length - maxWarnings)
    : undefined;
  const list = { ...wholeList, warnings: warnings ?? wholeList.warnings };
  const warningStyle = coloured ? { color: 'yellow' } : {};
  const { lines, before, after } = selectLines(list.lines, Math.max(3, maxRows - countOtherRows(list)));
  return (
    <Box flexDirection="column">
      <Omitted count={before} what="steps before" coloured={coloured} />
      {lines.map((line) => (
        <Line key={line.id} line={line} nowMs={nowMs} coloured={coloured} />
      ))}
      <Omitted count={after} what="steps after" coloured={coloured} />
      {list.page ? (
        <Box flexDirection="column" marginTop={1}>
          <Text>
            {list.page.userCode === undefined ? 'Open this page to sign in:' : 'Open this page and enter the code:'}
          </Text>
          <Text wrap="hard">{list.page.url}</Text>
          {list.page.userCode === undefined ? null : <Text bold> {list.page.userCode}</Text>}
        </Box>
      ) : null}
      {list.warnings.map(({ text, cure }) => (
        <Box key={text} flexDirection="column">
          <Text {...warningStyle}> ! {escapeUnsafeLine(text)}</Text>
          <Text dimColor={coloured}>{`   ${escapeUnsafeLine(cure)}`}</Text>
        </Box>
      ))}
    </Box>
  );
}

type Source = { list: Checklist; onChange: (() => void) | undefined };

type LiveProps = {
  readonly source: Source;
  readonly clock: Clock;
  readonly coloured: boolean;
  /** Rows of the terminal now. */
  readonly readRows: () => number;
};

function LiveChecklist(props: LiveProps) {
  const { source, clock, coloured, readRows } = props;
  const [, draw] = useState(0);
  useEffect(() => {
    const redraw = (): void => draw((count) => count + 1);
    source.onChange = redraw;
    const timer = setInterval(redraw, redrawMs);
    return () => {
      clearInterval(timer);
      source.onChange = undefined;
    };
  }, [source]);
  return <ChecklistScreen list={source.list} nowMs={clock.monotonicMs()} coloured={coloured} maxRows={readRows()} />;
}

/** `end` draws the last state and leaves it on the screen. */
export type LiveScreen = { handleEvent(event: ChecklistEvent): void; end(): Promise<void> };

export function isTerminal(sink: TextSink): sink is NodeJS.WriteStream {
  return sink.isTTY === true;
}

/** Starts drawing on `stdout`. Import this file after the layout engine is ready: ink looks it up while it loads. */
export function createLiveScreen(stdout: NodeJS.WriteStream, clock: Clock, coloured: boolean): LiveScreen {
  const source: Source = { list: emptyChecklist, onChange: undefined };
  const options = { stdout, exitOnCtrlC: false, patchConsole: false };
  const { unmount, waitUntilExit, rerender } = render(
    <LiveChecklist source={source} clock={clock} coloured={coloured} readRows={() => stdout.rows ?? 24} />,
    options,
  );
  return {
    handleEvent(event) {
      source.list = applyChecklistEvent(source.list, event, clock.monotonicMs());
      source.onChange?.();
    },
    async end() {
      rerender(null);
      const ended = waitUntilExit();
      unmount();
      await ended;
      // The whole list may be longer than the terminal, so it is printed as text and not drawn.
      const screen = <ChecklistScreen list={source.list} nowMs={clock.monotonicMs()} coloured={coloured} />;
      stdout.write(`${renderToString(screen, { columns: stdout.columns ?? 80 })}\n`);
    },
  };
}
