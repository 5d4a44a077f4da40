import { useState } from 'react';

const mark = '#provider-away';

/** True when the way to the provider of single sign-on led back here; the mark leaves the address bar. */
export function useProviderAway(): boolean {
  const [isAway] = useState(() => {
    const isMarked = location.hash === mark;
    if (isMarked) history.replaceState(history.state, '', location.pathname + location.search);
    return isMarked;
  });
  return isAway;
}
