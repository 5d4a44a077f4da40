import { useDeferredValue, useState } from 'react';
import type { HubToolsOffered } from '../../../contract/hub-connect-api.ts';
import { effectOf } from '../tool-effect.ts';

type Tool = HubToolsOffered['items'][number];
type ChoiceProps = {
  readonly tools: readonly Tool[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
};

/** More are found by typing. */
const mostShown = 100;

/** The tools that one may call, by words of their names and descriptions. */
export function ToolChoice({ tools, chosen, onChoose }: ChoiceProps) {
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words.toLowerCase());
  const found = tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted));
  return (
    <nav className="tool-choice" aria-label="Tools">
      <input
        type="search"
        data-search
        aria-label="Find a tool"
        placeholder="Find a tool  /"
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      <ul>
        {found.slice(0, mostShown).map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              data-row
              aria-current={tool.name === chosen ? 'true' : undefined}
              onClick={() => onChoose(tool.name)}
            >
              <code>{tool.name}</code>
              <span className="faint">{effectOf(tool.annotations)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="faint" role="status">
        {found.length === 0 ? 'No tool like that.' : ''}
        {found.length > mostShown ? `${found.length - mostShown} more: type a part of the name.` : ''}
      </p>
    </nav>
  );
}
