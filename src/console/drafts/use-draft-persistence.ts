import { useEffect, useRef } from 'react';
import type { DraftStorage } from './draft-storage.ts';

/**
 * Keeps the stored draft equal to the text on the page: another tab of the same account may remove or replace it. The
 * browser asks before leaving only when the draft cannot be stored.
 */
export function useDraftPersistence(storage: DraftStorage, text: string, revision: number, isChanged: boolean): void {
  const store = useRef<() => boolean>(() => true);
  useEffect(() => {
    store.current = () => !isChanged || storage.write(text, revision);
  }, [storage, text, revision, isChanged]);
  useEffect(() => {
    const onStorage = (event: StorageEvent): void => {
      if (event.key === storage.key && event.newValue === null) store.current();
    };
    const onPageHide = (): void => void store.current();
    const onBeforeUnload = (event: BeforeUnloadEvent): void => {
      if (!store.current()) event.preventDefault();
    };
    addEventListener('storage', onStorage);
    addEventListener('pagehide', onPageHide);
    addEventListener('beforeunload', onBeforeUnload);
    return () => {
      removeEventListener('storage', onStorage);
      removeEventListener('pagehide', onPageHide);
      removeEventListener('beforeunload', onBeforeUnload);
    };
  }, [storage]);
}
