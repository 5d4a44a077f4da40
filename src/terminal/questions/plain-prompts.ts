/** Prompts as plain lines, for terminals that cannot draw. A secret is read without echo. */
import { createInterface } from 'node:readline';
import type { TextSink } from '../../environment/environment.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import {
  applyPromptKey,
  getBack,
  getPromptAnswer,
  initialPromptState,
  type Prompt,
  type PromptState,
} from './prompt.ts';

/** What a line says where a screen has the key Escape. No secret is so short, and no request. */
const plainBack = '<';

type PlainTerminal = { readonly stdin: NodeJS.ReadableStream; readonly sink: TextSink };

/** Resolves with the last state; cancelled where the input ends. */
export async function runPlainPrompt(prompt: Prompt, terminal: PlainTerminal): Promise<PromptState> {
  let state = initialPromptState;
  terminal.sink.write(formatPrompt(prompt));
  while (state.outcome === 'open') {
    const line = await (prompt.kind === 'secret' ? readHiddenLine(terminal) : readVisibleLine(terminal.stdin));
    if (line === undefined) return { ...state, outcome: 'cancelled' };
    if (line.trim() === plainBack && getBack(prompt) !== undefined) return { ...state, outcome: 'back' };
    const typed =
      prompt.kind === 'choice' ? applyPromptKey(prompt, state, line.trim(), {}) : { ...state, text: line.trim() };
    state = applyPromptKey(prompt, typed, '', { return: true });
    if (state.problem !== undefined) terminal.sink.write(`  ! ${escapeUnsafeLine(state.problem)}\n> `);
  }
  return state;
}

function formatPrompt(prompt: Prompt): string {
  const { label, hint } = prompt;
  const lines = [label, ...(hint === undefined ? [] : [`  ${hint}`])];
  const back = getBack(prompt);
  if (back !== undefined) lines.push(`  ${plainBack}: ${back}`);
  if (prompt.kind === 'choice')
    lines.push(...prompt.choices.map((choice, index) => `  ${index + 1}  ${choice.label}  ${choice.hint ?? ''}`));
  const initial = getPromptAnswer(prompt, initialPromptState).text;
  return `${lines.map(escapeUnsafeLine).join('\n')}\n${initial === '' ? '' : `[${escapeUnsafeLine(initial)}] `}> `;
}

async function readVisibleLine(stdin: NodeJS.ReadableStream): Promise<string | undefined> {
  const lines = createInterface({ input: stdin });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  lines.once('line', resolve);
  lines.once('close', () => resolve(undefined));
  const line = await promise;
  lines.close();
  return line;
}

const lineEnds: ReadonlySet<string> = new Set(['\r', '\n']);
/** Ctrl-C and Ctrl-D. */
const cancels: ReadonlySet<string> = new Set(['\u0003', '\u0004']);
const erases: ReadonlySet<string> = new Set(['\u007f', '\b']);

/** In raw mode the terminal does not echo; Ctrl-C then arrives as a character. */
async function readHiddenLine({ stdin, sink }: PlainTerminal): Promise<string | undefined> {
  const isRaw = isRawCapable(stdin);
  if (isRaw) stdin.setRawMode(true);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let text = '';
  const onData = (chunk: Buffer | string): void => {
    const characters = [...String(chunk)];
    const end = characters.findIndex((character) => lineEnds.has(character) || cancels.has(character));
    for (const character of end < 0 ? characters : characters.slice(0, end))
      text = erases.has(character) ? text.slice(0, -1) : text + character;
    if (end >= 0) resolve(lineEnds.has(characters[end] ?? '') ? text : undefined);
  };
  const onEnd = (): void => resolve(undefined);
  stdin.on('data', onData).once('end', onEnd).resume();
  const line = await promise;
  stdin.off('data', onData).off('end', onEnd).pause();
  if (isRaw) stdin.setRawMode(false);
  sink.write('\n');
  return line;
}

function isRawCapable(stdin: NodeJS.ReadableStream): stdin is NodeJS.ReadStream {
  return 'setRawMode' in stdin && typeof stdin.setRawMode === 'function';
}
