import { useState } from 'react';
import { readStorage, writeStorage } from '../../browser.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { InlineCode } from '../../components/error-notice.tsx';
import { Select } from '../../components/select.tsx';
import { clientSnippets, type McpEndpoint } from './client-snippets.ts';

const storageKey = 'vp.client';

export function ClientInstructions({ endpoint }: { endpoint: McpEndpoint }) {
  const [name, setName] = useState(() => readStorage(storageKey));
  const snippet = clientSnippets.find((candidate) => candidate.name === name) ?? clientSnippets[0];
  if (!snippet) return null;
  const text = snippet.format(endpoint);
  const choose = (next: string): void => {
    writeStorage(storageKey, next);
    setName(next);
  };
  return (
    <div className="add">
      <Select
        label="Client"
        value={snippet.name}
        options={clientSnippets.map((candidate) => [candidate.name, candidate.name])}
        onSelect={choose}
      />
      <p className="faint">
        {snippet.location} <InlineCode text={endpoint.token === undefined ? snippet.signInHint : snippet.tokenHint} />
      </p>
      <div className="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
        <pre tabIndex={0}>{text}</pre>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
