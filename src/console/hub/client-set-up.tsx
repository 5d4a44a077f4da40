import { useState } from 'react';
import { store, stored } from '../browser.ts';
import { Choice } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { clientSnippets, type McpAddress } from './clients.ts';

const kept = 'vp.client';

/** The text for a client of one's choice, copyable. */
export function ClientSetUp({ address }: { address: McpAddress }) {
  const [name, setName] = useState(() => stored(kept));
  const snippet = clientSnippets.find((one) => one.name === name) ?? clientSnippets[0];
  if (!snippet) return null;
  const text = snippet.text(address);
  const choose = (next: string): void => {
    store(kept, next);
    setName(next);
  };
  return (
    <div className="add">
      <Choice
        label="Client"
        value={snippet.name}
        options={clientSnippets.map((one) => [one.name, one.name])}
        onChoose={choose}
      />
      <p className="faint">
        {snippet.where} {address.token === undefined ? snippet.signsIn : snippet.withToken}
      </p>
      <div className="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
        <pre tabIndex={0}>{text}</pre>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
