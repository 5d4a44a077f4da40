/** A live checklist on a terminal: all steps in order with their times, and details of the current step. */
import { Box, render, Text } from 'ink';
import { useEffect, useState } from 'react';
import type { Clock } from '../../environment/clock.ts';
import type { TextSink } from '../../environment/environment.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import {
  applyEvent,
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
            {state !== 'running' && detail !== '' ? <Text dimColor={coloured}> {escapeUnsafeLine(detail)}</Text> : null}
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

/** `nowMs` is of a monotonic clock. */
export function ChecklistScreen(props: {
  readonly list: Checklist;
  readonly nowMs: number;
  readonly coloured: boolean;
}) {
  const { list, nowMs, coloured } = props;
  const warningStyle = coloured ? { color: 'yellow' } : {};
  return (
    <Box flexDirection="column">
      {list.lines.map((line) => (
        <Line key={line.id} line={line} nowMs={nowMs} coloured={coloured} />
      ))}
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
          <Text dimColor={coloured}> {escapeUnsafeLine(cure)}</Text>
        </Box>
      ))}
    </Box>
  );
}

type Source = { list: Checklist; onChange: (() => void) | undefined };

function LiveChecklist(props: { readonly source: Source; readonly clock: Clock; readonly coloured: boolean }) {
  const { source, clock, coloured } = props;
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
  return <ChecklistScreen list={source.list} nowMs={clock.monotonicMs()} coloured={coloured} />;
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
    <LiveChecklist source={source} clock={clock} coloured={coloured} />,
    options,
  );
  return {
    handleEvent(event) {
      source.list = applyEvent(source.list, event, clock.monotonicMs());
      source.onChange?.();
    },
    async end() {
      rerender(<ChecklistScreen list={source.list} nowMs={clock.monotonicMs()} coloured={coloured} />);
      const ended = waitUntilExit();
      unmount();
      await ended;
    },
  };
}
