import { useEffect, useEffectEvent, useState } from 'react';

/**
 * For Enter before the data that it needs is loaded: `submit` is called then, unless `cancel` was called before. `isWaiting`
 * is to be shown.
 */
export function useDeferredSubmit(isLoading: boolean, submit: () => void) {
  const [isWaiting, setIsWaiting] = useState(false);
  const isDue = isWaiting && !isLoading;
  const submitLoaded = useEffectEvent(submit);
  useEffect(() => {
    if (!isDue) return;
    setIsWaiting(false);
    submitLoaded();
  }, [isDue]);
  return {
    isWaiting,
    submit: (): void => (isLoading ? setIsWaiting(true) : submit()),
    cancel: (): void => setIsWaiting(false),
  };
}
