/**
 * Unsaved text in the browser's storage, by account and subject. It survives tabs, navigation, reloads and sign-out, and
 * nobody who signs in with another account sees it.
 */
import { useMemo } from 'react';
import { listStorage, nowMs, readStorage, tryWriteStorage, writeStorage } from '../browser.ts';
import { useWhoami } from '../session/use-session.ts';

/** `revision` is the saved one that the text is based on. */
export type StoredDraft = { readonly text: string; readonly revision: number; readonly savedAtMs: number };

export type DraftStorage = {
  readonly key: string;
  read(): StoredDraft | undefined;
  /** False when the browser denies storage or has no room: the text is then only on the page. */
  write(text: string, revision: number): boolean;
  remove(): void;
};

const prefix = 'vp.draft';

function formatKey(account: string, subject: readonly string[]): string {
  return [prefix, account, ...subject].map(encodeURIComponent).join('/');
}

function parseDraft(json: string): StoredDraft | undefined {
  try {
    const { text, revision, savedAtMs }: Partial<StoredDraft> = JSON.parse(json);
    const isDraft = typeof text === 'string' && typeof revision === 'number' && typeof savedAtMs === 'number';
    return isDraft ? { text, revision, savedAtMs } : undefined;
  } catch {
    return undefined;
  }
}

/** The draft of one subject, such as a scenario of an instance. */
export function createDraftStorage(account: string, subject: readonly string[]): DraftStorage {
  const key = formatKey(account, subject);
  return {
    key,
    read() {
      const json = readStorage(key);
      return json === undefined ? undefined : parseDraft(json);
    },
    write: (text, revision) => tryWriteStorage(key, JSON.stringify({ text, revision, savedAtMs: nowMs() })),
    remove: () => writeStorage(key, undefined),
  };
}

/** The last parts of the subjects that have a draft and begin with `subject`. */
export function listDrafts(account: string, subject: readonly string[]): readonly string[] {
  const start = `${formatKey(account, subject)}/`;
  return listStorage(start).map((key) => decodeURIComponent(key.slice(start.length)));
}

/** The account that drafts belong to; the owner key stands for no person. */
export function useDraftAccount(): string {
  return useWhoami()?.person?.person_id ?? 'owner-key';
}

/** The subject's parts must not change their number. */
export function useDraftStorage(...subject: readonly string[]): DraftStorage {
  const account = useDraftAccount();
  const key = formatKey(account, subject);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds the account and all parts of the subject
  return useMemo(() => createDraftStorage(account, subject), [key]);
}
