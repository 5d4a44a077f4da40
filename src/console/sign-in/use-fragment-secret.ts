import { useEffect, useState } from 'react';

function readFragment(): string {
  return location.hash.slice(1);
}

function hideFragment(): void {
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
}

/**
 * The secret in the fragment of a link, also if the link is pasted while the page is open. It is removed from the address bar
 * and the history only after the first commit: React may restart a render, which must still find the secret.
 */
export function useFragmentSecret(): string {
  const [secret, setSecret] = useState(readFragment);
  useEffect(() => {
    const onHashChange = (): void => {
      const pastedSecret = readFragment();
      if (pastedSecret !== '') setSecret(pastedSecret);
      hideFragment();
    };
    hideFragment();
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  return secret;
}
