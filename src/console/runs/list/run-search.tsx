import { useCallback, useEffect, useRef, useState } from 'react';
import { SearchInput } from '../../components/search-input.tsx';
import type { FilterParams } from '../../views/use-filter-params.ts';

/** Each search reads runs of the control plane: one for each word, not for each letter. */
const pauseMs = 200;

/** The search in runs; what was typed becomes part of the address after a pause, or with Enter. */
export function RunSearch({ params: { filters, change } }: { params: FilterParams }) {
  const find = filters.get('find') ?? '';
  const [text, setText] = useState(find);
  const sentText = useRef(find);
  // A link, or the key that goes back, has changed the address.
  if (find !== sentText.current) {
    sentText.current = find;
    setText(find);
  }
  const send = useCallback(() => {
    if (text === sentText.current) return;
    sentText.current = text;
    change((next) => next.set('find', text), { replace: true });
  }, [text, change]);
  useEffect(() => {
    const timer = setTimeout(send, pauseMs);
    return () => clearTimeout(timer);
  }, [send]);
  return (
    <SearchInput
      label="Find runs"
      placeholder="text, tag:, owner:, version:, path:…"
      value={text}
      onSearch={setText}
      onSubmit={send}
    />
  );
}
