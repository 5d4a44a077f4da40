/** A prompt drawn with ink. When it is answered, one line with the answer stays; a secret is never drawn. */
import { Box, render, Text, useInput } from 'ink';
import { useRef, useState } from 'react';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import {
  applyPromptKey,
  getBack,
  getPromptAnswer,
  initialPromptState,
  type Prompt,
  type PromptState,
} from './prompt.ts';

type ViewProps = { readonly prompt: Prompt; readonly state: PromptState; readonly coloured: boolean };

function AnsweredLine({ prompt, state, coloured }: ViewProps) {
  const answer = prompt.kind === 'secret' ? 'entered, not shown' : getPromptAnswer(prompt, state).text;
  return (
    <Text>
      <Text {...(coloured ? { color: 'green' } : {})}>✓</Text> {prompt.label}{' '}
      <Text dimColor={coloured}>{escapeUnsafeLine(answer === '' ? 'none' : answer)}</Text>
    </Text>
  );
}

function Choices({ prompt, state, coloured }: ViewProps) {
  if (prompt.kind !== 'choice') return null;
  return (
    <>
      {prompt.choices.map(({ label, hint }, index) => {
        const isSelected = index === state.selected;
        return (
          <Text key={label} wrap="truncate" {...(coloured && isSelected ? { color: 'cyan' } : {})}>
            {isSelected ? '  › ' : '    '}
            {escapeUnsafeLine(label)}
            {hint === undefined ? null : <Text dimColor={coloured}> {escapeUnsafeLine(hint)}</Text>}
          </Text>
        );
      })}
    </>
  );
}

/** The prompt in one of its states. */
export function PromptView({ prompt, state, coloured }: ViewProps) {
  if (state.outcome === 'answered') return <AnsweredLine prompt={prompt} state={state} coloured={coloured} />;
  const { label, hint } = prompt;
  if (state.outcome === 'back') return <Text dimColor={coloured}>‹ {label} back</Text>;
  const back = getBack(prompt);
  const initial = prompt.kind === 'choice' ? undefined : prompt.initial;
  const cursor = state.outcome === 'open' ? <Text inverse> </Text> : null;
  return (
    <Box flexDirection="column">
      <Text>
        <Text {...(coloured ? { color: 'cyan' } : {})}>?</Text> <Text bold>{label}</Text>{' '}
        {prompt.kind === 'text' ? escapeUnsafeLine(state.text) : ''}
        {prompt.kind === 'choice' ? null : cursor}
        {state.text === '' && initial !== undefined && initial !== '' ? (
          <Text dimColor={coloured}> {escapeUnsafeLine(initial)}</Text>
        ) : null}
      </Text>
      <Choices prompt={prompt} state={state} coloured={coloured} />
      {hint === undefined ? null : <Text dimColor={coloured}> {escapeUnsafeLine(hint)}</Text>}
      {back === undefined ? null : <Text dimColor={coloured}> Esc: {escapeUnsafeLine(back)}</Text>}
      {state.problem === undefined ? null : (
        <Text {...(coloured ? { color: 'yellow' } : {})}> ! {escapeUnsafeLine(state.problem)}</Text>
      )}
    </Box>
  );
}

type LiveProps = {
  readonly prompt: Prompt;
  readonly coloured: boolean;
  readonly onEnd: (state: PromptState) => void;
};

/** Reads keys until the prompt is answered or cancelled. */
export function LivePrompt({ prompt, coloured, onEnd }: LiveProps) {
  const [state, setState] = useState(initialPromptState);
  // Several keys may arrive before the next drawing.
  const latest = useRef(initialPromptState);
  useInput((input, key) => {
    const before = latest.current;
    latest.current = applyPromptKey(prompt, before, input, key);
    setState(latest.current);
    if (before.outcome === 'open' && latest.current.outcome !== 'open') onEnd(latest.current);
  });
  return <PromptView prompt={prompt} state={state} coloured={coloured} />;
}

export type PromptTerminal = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly coloured: boolean;
};

/** Resolves with the last state. Import this file after the layout engine is ready: ink looks it up while it loads. */
export async function runPrompt(prompt: Prompt, { stdin, stdout, coloured }: PromptTerminal): Promise<PromptState> {
  const { promise, resolve } = Promise.withResolvers<PromptState>();
  const screen = render(<LivePrompt prompt={prompt} coloured={coloured} onEnd={resolve} />, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const state = await promise;
  screen.rerender(<PromptView prompt={prompt} state={state} coloured={coloured} />);
  const ended = screen.waitUntilExit();
  screen.unmount();
  await ended;
  return state;
}
