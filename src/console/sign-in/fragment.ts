import { useState } from 'react';

/** The secret of a link: taken from the fragment once, which then leaves the address bar and the history. */
export function useFragmentSecret(): string {
  const [secret] = useState(() => location.hash.slice(1));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
