import { useState } from 'react';
import type { ScenarioDocument } from '../../contract/api.ts';
import type { DraftStorage } from '../drafts/draft-storage.ts';
import { useDraftPersistence } from '../drafts/use-draft-persistence.ts';

export type SavedRevision = Pick<ScenarioDocument, 'text' | 'revision'>;

/** The text in the editor and the revision that it is based on; what is not saved is stored in the browser. */
export function useDraftText(storage: DraftStorage, newest: SavedRevision) {
  const [restored, setRestored] = useState(() => {
    const draft = storage.read();
    if (draft?.text !== newest.text) return draft;
    storage.remove();
    return undefined;
  });
  const [text, setText] = useState(restored?.text ?? newest.text);
  /** The revision that the text is based on. */
  const [base, setBase] = useState<SavedRevision>({ ...newest, revision: restored?.revision ?? newest.revision });
  const [isStored, setIsStored] = useState(true);
  const isChanged = text !== base.text;
  // Only for a newer revision: right after a save the page still passes the previous one.
  if (!isChanged && newest.revision > base.revision) {
    setBase(newest);
    setText(newest.text);
  }
  useDraftPersistence(storage, text, base.revision, isChanged);
  return {
    text,
    restoredAtMs: isChanged ? restored?.savedAtMs : undefined,
    isStored,
    isChanged,
    /** Somebody else has saved a revision after the one that the text is based on. */
    isOutdated: isChanged && newest.revision > base.revision,
    revision: base.revision,
    changeText(next: string): void {
      setText(next);
      if (next === base.text) storage.remove();
      else setIsStored(storage.write(next, base.revision));
    },
    /** The text, which may have changed since it was sent, is based on `saved` from now on. */
    rebase(saved: SavedRevision): void {
      setBase(saved);
      setRestored(undefined);
    },
    /** `saved` takes the place of the text, and of what the browser has stored. */
    replaceText(saved: SavedRevision): void {
      setBase(saved);
      setText(saved.text);
      setRestored(undefined);
      setIsStored(true);
      storage.remove();
    },
  };
}
