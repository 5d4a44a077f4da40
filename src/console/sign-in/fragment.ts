import { useEffect, useState } from 'react';

/** What stands behind the # is taken once, and leaves the address bar and the history. */
function takeFragment(): string {
  const secret = location.hash.slice(1);
  if (secret !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}

/** The secret of a link; also of one that is pasted while the page is open. */
export function useFragmentSecret(): string {
  const [secret, setSecret] = useState(takeFragment);
  useEffect(() => {
    const onHash = (): void => setSecret((before) => takeFragment() || before);
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  return secret;
}
