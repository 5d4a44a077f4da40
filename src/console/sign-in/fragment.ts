import { useEffect, useState } from 'react';

function fragment(): string {
  return location.hash.slice(1);
}

function hideFragment(): void {
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
}

/**
 * The secret of a link, what stands behind the #; also of one that is pasted while the page is open. It leaves the address
 * bar and the history once the page keeps it: React may begin a rendering anew, which must find the secret still there.
 */
export function useFragmentSecret(): string {
  const [secret, setSecret] = useState(fragment);
  useEffect(() => {
    const onHash = (): void => {
      const pasted = fragment();
      if (pasted !== '') setSecret(pasted);
      hideFragment();
    };
    hideFragment();
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  return secret;
}
