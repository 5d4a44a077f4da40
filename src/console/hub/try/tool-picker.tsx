import { useDeferredValue, useState } from 'react';
import type { OfferedHubTools } from '../../../contract/hubs/connection-use-api.ts';
import { SearchInput } from '../../components/search-input.tsx';
import { describeEffect } from '../tools/tool-definition.ts';

type Tool = OfferedHubTools['items'][number];
type ToolPickerProps = {
  readonly tools: readonly Tool[];
  readonly selectedName: string | undefined;
  readonly onChoose: (name: string) => void;
};

const maxDisplayed = 100;

/** Searches the names and descriptions of tools. */
export function ToolPicker({ tools, selectedName, onChoose }: ToolPickerProps) {
  const [searchText, setSearchText] = useState('');
  const needle = useDeferredValue(searchText.toLowerCase());
  const matches = tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(needle));
  return (
    <nav className="tool-choice" aria-label="Tools">
      <SearchInput label="Find a tool" placeholder="Find a tool" value={searchText} onSearch={setSearchText} />
      <ul>
        {matches.slice(0, maxDisplayed).map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              data-row
              aria-current={tool.name === selectedName ? 'true' : undefined}
              onClick={() => onChoose(tool.name)}
            >
              <code>{tool.name}</code>
              <span className="faint">{describeEffect(tool.annotations)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="faint" role="status">
        {matches.length === 0 ? 'No matching tools.' : ''}
        {matches.length > maxDisplayed ? `${matches.length - maxDisplayed} more: enter part of the name.` : ''}
      </p>
    </nav>
  );
}
