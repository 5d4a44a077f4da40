import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { SearchInput } from '../../components/search-input.tsx';

/** Each search reads runs of the control plane: one for each word, not for each letter. */
const pauseMs = 200;

/** The search in runs; what was typed becomes part of the address after a pause. */
export function RunSearch() {
  const [search, setSearch] = useSearchParams();
  const find = search.get('find') ?? '';
  const [text, setText] = useState(find);
  const sentText = useRef(find);
  // A link, or the key that goes back, has changed the address.
  if (find !== sentText.current) {
    sentText.current = find;
    setText(find);
  }
  useEffect(() => {
    if (text === sentText.current) return;
    const timer = setTimeout(() => {
      sentText.current = text;
      setSearch(
        (params) => {
          if (text === '') params.delete('find');
          else params.set('find', text);
          return params;
        },
        { replace: true },
      );
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, setSearch]);
  return (
    <SearchInput label="Find runs" placeholder="text, tag:, owner:, version:, path:…" value={text} onSearch={setText} />
  );
}
