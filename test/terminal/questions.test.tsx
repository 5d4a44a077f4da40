/** Prompts: what keys do, and what is drawn. */
import { render } from 'ink-testing-library';
import t from 'tap';
import {
  applyPromptKey,
  initialPromptState,
  type Prompt,
  type PromptState,
} from '../../src/terminal/questions/prompt.ts';
import { LivePrompt, PromptView } from '../../src/terminal/questions/prompt-screen.tsx';
import { eventually } from '../eventually.ts';

const address: Prompt = {
  kind: 'text',
  label: 'Where?',
  initial: '3000',
  validate: (text) => (text === 'bad' ? 'that is wrong' : undefined),
};
const secret: Prompt = { kind: 'secret', label: 'The token:', hint: 'not shown' };
const choice: Prompt = {
  kind: 'choice',
  label: 'Which?',
  choices: [{ label: 'one' }, { label: 'two', hint: 'the second' }],
};

const type = (prompt: Prompt, text: string, state = initialPromptState): PromptState =>
  applyPromptKey(prompt, state, text, {});
const frame = (prompt: Prompt, state: PromptState): string => {
  const { lastFrame, unmount } = render(<PromptView prompt={prompt} state={state} coloured={false} />);
  const text = lastFrame() ?? '';
  unmount();
  return text;
};

t.test('an empty line takes the answer that is shown, and a wrong one is told', async (t) => {
  t.match(frame(address, initialPromptState), /\? Where\? .*3000/);
  const accepted = applyPromptKey(address, initialPromptState, '', { return: true });
  t.equal(frame(address, accepted), '✓ Where? 3000');
  const wrong = applyPromptKey(address, type(address, 'bad'), '', { return: true });
  t.equal(wrong.outcome, 'open');
  t.match(frame(address, wrong), /bad[\s\S]*! that is wrong/);
});

t.test('a pasted line with its line break answers, and control characters are dropped', async (t) => {
  t.match(type(address, 'http://a\u0007b\nrest'), { text: 'http://ab', outcome: 'answered' });
  t.equal(applyPromptKey(address, type(address, 'ab'), '', { backspace: true }).text, 'a');
});

t.test('a secret is never drawn, neither while it is typed nor afterwards', async (t) => {
  const typed = type(secret, 'top-secret');
  t.notMatch(frame(secret, typed), /top|•|\*/);
  t.equal(frame(secret, applyPromptKey(secret, typed, '', { return: true })), '✓ The token: entered, not shown');
});

t.test('a choice is made with arrows or its number', async (t) => {
  t.match(frame(choice, initialPromptState), / › one\n {4}two the second/);
  t.equal(applyPromptKey(choice, initialPromptState, '', { downArrow: true }).selected, 1);
  t.equal(applyPromptKey(choice, initialPromptState, '', { upArrow: true }).selected, 1, 'around');
  t.equal(type(choice, '2').selected, 1);
  t.equal(type(choice, '9').selected, 0);
});

t.test('Ctrl-C cancels', async (t) => {
  t.equal(applyPromptKey(address, initialPromptState, 'c', { ctrl: true }).outcome, 'cancelled');
});

t.test('Escape leaves a text for what the prompt names, and nothing where it names nothing', async (t) => {
  t.equal(applyPromptKey(address, type(address, 'ab'), '', { escape: true }).outcome, 'open');
  const leavable: Prompt = { ...secret, back: 'How do requests authenticate?' };
  t.match(frame(leavable, initialPromptState), / not shown\n Esc: How do requests authenticate\?/);
  const left = applyPromptKey(leavable, type(leavable, 'top-secret'), '', { escape: true });
  t.equal(left.outcome, 'back');
  t.equal(frame(leavable, left), '‹ The token: back');
});

t.test('keys that arrive together are all read', async (t) => {
  const states: PromptState[] = [];
  const { stdin, unmount } = render(
    <LivePrompt prompt={address} coloured={false} onEnd={(state) => states.push(state)} />,
  );
  t.teardown(unmount);
  await new Promise((resolve) => setImmediate(resolve));
  for (const key of ['8', '0', '8', '0', '\r']) stdin.write(key);
  await eventually(() => states.length === 1, { description: 'the prompt is answered' });
  t.match(states, [{ text: '8080', outcome: 'answered' }]);
});
