/** A question to a person at a terminal, and its state while keys are pressed. */

/**
 * `initial` is the answer of an empty line. `validate` returns what is wrong with an answer. `back` says where Escape leads;
 * without it, Escape does nothing.
 */
export type Prompt =
  | {
      readonly kind: 'text' | 'secret';
      readonly label: string;
      readonly hint?: string | undefined;
      readonly initial?: string | undefined;
      readonly validate?: ((answer: string) => string | undefined) | undefined;
      readonly back?: string | undefined;
    }
  | {
      readonly kind: 'choice';
      readonly label: string;
      readonly hint?: string | undefined;
      /** The first is chosen at the start. */
      readonly choices: readonly { readonly label: string; readonly hint?: string | undefined }[];
    };

export type PromptState = {
  readonly text: string;
  readonly selected: number;
  readonly problem: string | undefined;
  readonly outcome: 'open' | 'answered' | 'cancelled' | 'back';
};

export const initialPromptState: PromptState = { text: '', selected: 0, problem: undefined, outcome: 'open' };

/** The keys that prompts know; every other key is text. */
export type PromptKey = {
  readonly return?: boolean;
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly backspace?: boolean;
  readonly delete?: boolean;
  readonly escape?: boolean;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly tab?: boolean;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const controls = /[\x00-\x1f\x7f]/g;

/** A pasted text arrives at once; a line break in it answers the question, and what follows is dropped. */
export function applyPromptKey(prompt: Prompt, state: PromptState, input: string, key: PromptKey): PromptState {
  if (state.outcome !== 'open') return state;
  if (key.ctrl && (input === 'c' || input === 'd')) return { ...state, outcome: 'cancelled' };
  if (key.ctrl && input === 'u') return { ...state, text: '', problem: undefined };
  if (key.escape && getBack(prompt) !== undefined) return { ...state, outcome: 'back' };
  if (key.return) return submit(prompt, state);
  if (key.upArrow) return move(prompt, state, -1);
  if (key.downArrow || key.tab) return move(prompt, state, 1);
  if (key.backspace || key.delete) return { ...state, text: [...state.text].slice(0, -1).join(''), problem: undefined };
  if (key.ctrl || key.meta || key.escape || prompt.kind === 'choice') return selectByNumber(prompt, state, input);
  const [line = '', ...rest] = input.split(/\r\n|\r|\n/);
  const typed = { ...state, text: state.text + line.replaceAll(controls, ''), problem: undefined };
  return rest.length === 0 ? typed : submit(prompt, typed);
}

export function getBack(prompt: Prompt): string | undefined {
  return prompt.kind === 'choice' ? undefined : prompt.back;
}

/** The answer of an answered prompt: a text, or the index of a choice. */
export function getPromptAnswer(prompt: Prompt, { text, selected }: PromptState): { text: string; selected: number } {
  return prompt.kind === 'choice'
    ? { text: prompt.choices[selected]?.label ?? '', selected }
    : { text: text === '' ? (prompt.initial ?? '') : text, selected };
}

function submit(prompt: Prompt, state: PromptState): PromptState {
  const answer = getPromptAnswer(prompt, state).text;
  const problem = prompt.kind === 'choice' ? undefined : prompt.validate?.(answer);
  return problem === undefined ? { ...state, problem, outcome: 'answered' } : { ...state, problem };
}

function move(prompt: Prompt, state: PromptState, by: number): PromptState {
  if (prompt.kind !== 'choice') return state;
  const { length } = prompt.choices;
  return { ...state, selected: (state.selected + by + length) % length };
}

function selectByNumber(prompt: Prompt, state: PromptState, input: string): PromptState {
  const index = /^[1-9]$/.test(input) ? Number(input) - 1 : -1;
  return prompt.kind === 'choice' && index >= 0 && index < prompt.choices.length
    ? { ...state, selected: index }
    : state;
}
