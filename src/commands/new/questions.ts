/** Questions to the person at the terminal: drawn with ink, or as plain lines where the terminal cannot draw. */
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { getPromptAnswer, type Prompt, type PromptState } from '../../terminal/questions/prompt.ts';
import { isInteractive } from '../prompt-line.ts';

type TextPrompt = Omit<Extract<Prompt, { kind: 'text' | 'secret' }>, 'kind' | 'back'>;
/** `back` says where the person gets with {@link goBack}. */
type LeavablePrompt = TextPrompt & { readonly back?: string | undefined };

/** The person's answer to see the choices before the question again. */
export const goBack = Symbol('back');
export type Choice<T> = { readonly value: T; readonly label: string; readonly hint?: string | undefined };

/** Every method rejects with NEW_CANCELLED after Ctrl-C. */
export type Questions = {
  text(prompt: TextPrompt): Promise<string>;
  /** The answer is never displayed. */
  secret(prompt: LeavablePrompt): Promise<string | typeof goBack>;
  textOrBack(prompt: LeavablePrompt): Promise<string | typeof goBack>;
  choose<T>(label: string, choices: readonly Choice<T>[], hint?: string): Promise<T>;
};

/** Undefined if standard input is not a terminal. */
export async function openQuestions(environment: Environment): Promise<Questions | undefined> {
  if (!isInteractive(environment.streams.stdin)) return undefined;
  return createQuestions(await choosePromptRunner(environment));
}

type RunPrompt = (prompt: Prompt) => Promise<PromptState>;

/** `runPrompt` displays a prompt until it is answered or cancelled. */
export function createQuestions(runPrompt: RunPrompt): Questions {
  const answerOrBack = async (prompt: Prompt) => {
    const state = await runPrompt(prompt);
    if (state.outcome === 'back') return undefined;
    if (state.outcome !== 'answered') throw vpError('NEW_CANCELLED', {});
    return getPromptAnswer(prompt, state);
  };
  const answer = async (prompt: Prompt) => {
    const answered = await answerOrBack(prompt);
    if (!answered) throw new TypeError('only a prompt with `back` is left so');
    return answered;
  };
  return {
    text: async (prompt) => (await answer({ kind: 'text', ...prompt })).text.trim(),
    secret: async (prompt) => (await answerOrBack({ kind: 'secret', ...prompt }))?.text ?? goBack,
    textOrBack: async (prompt) => (await answerOrBack({ kind: 'text', ...prompt }))?.text.trim() ?? goBack,
    async choose<T>(label: string, choices: readonly Choice<T>[], hint?: string): Promise<T> {
      const { selected } = await answer({ kind: 'choice', label, hint, choices });
      const choice = choices[selected];
      if (!choice) throw new TypeError('a choice is one of the choices');
      return choice.value;
    },
  };
}

async function choosePromptRunner({ streams, variables }: Environment): Promise<RunPrompt> {
  const { stdin, stdout, stderr } = streams;
  if (stdout.isTTY === true && variables.TERM !== 'dumb' && !variables.CI) {
    const { loadInkLayout } = await import('../onboard/onboarding-view.ts');
    await loadInkLayout();
    const { runPrompt } = await import('../../terminal/questions/prompt-screen.tsx');
    const { isTerminal } = await import('../../terminal/onboarding/screen.tsx');
    const coloured = paintFor(stdout, variables).colours;
    if (isTerminal(stdout) && isReadStream(stdin)) return (prompt) => runPrompt(prompt, { stdin, stdout, coloured });
  }
  const { runPlainPrompt } = await import('../../terminal/questions/plain-prompts.ts');
  return (prompt) => runPlainPrompt(prompt, { stdin, sink: stderr });
}

function isReadStream(stdin: NodeJS.ReadableStream): stdin is NodeJS.ReadStream {
  return 'setRawMode' in stdin;
}
