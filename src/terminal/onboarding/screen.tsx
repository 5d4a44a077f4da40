/** A checklist on a terminal: every step in order, with its time, and what the one in hand is doing. */
import { Box, render, Text } from 'ink';
import { useEffect, useState } from 'react';
import type { Clock } from '../../environment/clock.ts';
import type { TextSink } from '../../environment/environment.ts';
import { printableLine } from '../../report/printable.ts';
import {
  after,
  type Checklist,
  type ChecklistEvent,
  type ChecklistLine,
  durationText,
  emptyChecklist,
  marks,
} from './checklist.ts';

/** How often the time of the step in hand is drawn again. */
const againMs = 200;

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
          <Text {...(colour ? { color: colour } : {})}> {marks[state]}</Text>
        </Box>
        <Box flexGrow={1}>
          <Text bold={state === 'running'} dimColor={coloured && quiet} wrap="truncate">
            {title}
            {state !== 'running' && detail !== '' ? <Text dimColor={coloured}> {printableLine(detail)}</Text> : null}
          </Text>
        </Box>
        <Box flexShrink={0} marginLeft={1}>
          <Text dimColor={coloured}>{elapsedMs === undefined ? '' : durationText(elapsedMs)}</Text>
        </Box>
      </Box>
      {state === 'running' && detail !== '' ? (
        <Box paddingLeft={3}>
          <Text dimColor={coloured} wrap="truncate">
            {printableLine(detail)}
          </Text>
        </Box>
      ) : null}
    </Box>
  );
}

/** What the screen shows; `nowMs` is read from a clock that never jumps. */
export function ChecklistScreen(props: {
  readonly list: Checklist;
  readonly nowMs: number;
  readonly coloured: boolean;
}) {
  const { list, nowMs, coloured } = props;
  const warned = coloured ? { color: 'yellow' } : {};
  return (
    <Box flexDirection="column">
      {list.lines.map((line) => (
        <Line key={line.id} line={line} nowMs={nowMs} coloured={coloured} />
      ))}
      {list.page ? (
        <Box flexDirection="column" marginTop={1}>
          <Text>
            {list.page.userCode === undefined ? 'Open this page to sign in:' : 'Open this page and type the code:'}
          </Text>
          <Text wrap="hard">{list.page.url}</Text>
          {list.page.userCode === undefined ? null : <Text bold> {list.page.userCode}</Text>}
        </Box>
      ) : null}
      {list.warnings.map(({ text, cure }) => (
        <Box key={text} flexDirection="column">
          <Text {...warned}> ! {printableLine(text)}</Text>
          <Text dimColor={coloured}> {printableLine(cure)}</Text>
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
    const again = (): void => draw((count) => count + 1);
    source.onChange = again;
    const timer = setInterval(again, againMs);
    return () => {
      clearInterval(timer);
      source.onChange = undefined;
    };
  }, [source]);
  return <ChecklistScreen list={source.list} nowMs={clock.monotonicMs()} coloured={coloured} />;
}

/** A screen that draws events as they come. `end` draws the last state and leaves it standing. */
export type LiveScreen = { tell(event: ChecklistEvent): void; end(): Promise<void> };

/** True for a stream that ink can draw on. */
export function isTerminal(sink: TextSink): sink is NodeJS.WriteStream {
  return sink.isTTY === true;
}

/** Begins to draw on `stdout`. This file is imported after `inkReady`: ink looks up what it lays out with as it loads. */
export function liveScreen(stdout: NodeJS.WriteStream, clock: Clock, coloured: boolean): LiveScreen {
  const source: Source = { list: emptyChecklist, onChange: undefined };
  const options = { stdout, exitOnCtrlC: false, patchConsole: false };
  const { unmount, waitUntilExit, rerender } = render(
    <LiveChecklist source={source} clock={clock} coloured={coloured} />,
    options,
  );
  return {
    tell(event) {
      source.list = after(source.list, event, clock.monotonicMs());
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
