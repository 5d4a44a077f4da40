import { useEffect, useRef, useState } from 'react';
import type { HubPolicy, HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
import type { DraftStorage } from '../../drafts/draft-storage.ts';
import { useDraftPersistence } from '../../drafts/use-draft-persistence.ts';
import { type ParsedPolicy, parsePolicyText } from './parse-policy.ts';
import { createPolicyDraft, type PolicyDraft, parsePolicyDraft } from './policy-draft.ts';

/** Edits are carried over when the view switches. */
export type PolicyView = 'form' | 'text';
export type PolicyEditor = {
  readonly view: PolicyView;
  readonly draft: PolicyDraft;
  readonly text: string;
  readonly parsed: ParsedPolicy;
  readonly isChanged: boolean;
  /** The stored draft that the page began with; undefined after it was discarded or applied. */
  readonly restored: RestoredPolicyDraft | undefined;
  /** False when the browser could not store the changes. */
  readonly isStored: boolean;
  /** All that was typed, as it is stored. */
  readonly snapshot: string;
  /** Removes the stored draft unless more was typed after `snapshot`. */
  settle(snapshot: string): void;
  /** Does nothing while the current view does not hold a valid policy. */
  switchView(view: PolicyView): void;
  write(part: Partial<PolicyDraft> | string): void;
  discard(): void;
};

const formatPolicy = (document: HubPolicyDocument): string => JSON.stringify(document, undefined, 2);
/** Equal for two documents that describe the same policy. */
const normalizePolicy = (document: HubPolicyDocument): string =>
  JSON.stringify(parsePolicyDraft(createPolicyDraft(document)));

/** Undefined if the document has a structure that the form cannot represent; only the server explains such errors. */
function tryCreateDraft(document: HubPolicyDocument): PolicyDraft | undefined {
  try {
    return createPolicyDraft(document);
  } catch {
    return undefined;
  }
}

type EditorContent = { readonly view: PolicyView; readonly draft: PolicyDraft; readonly text: string };
export type RestoredPolicyDraft = EditorContent & { readonly revision: number; readonly savedAtMs: number };

/** A stored draft with this document. */
export function formatEditorContent(view: PolicyView, document: HubPolicyDocument): string {
  const content: EditorContent = { view, draft: createPolicyDraft(document), text: formatPolicy(document) };
  return JSON.stringify(content);
}

/** Undefined if there is no draft, or one that this version of the form cannot show. */
function restoreContent(storage: DraftStorage, saved: HubPolicyDocument): RestoredPolicyDraft | undefined {
  const stored = storage.read();
  if (!stored) return undefined;
  try {
    const { view, draft, text }: EditorContent = JSON.parse(stored.text);
    const known = Object.keys(createPolicyDraft(saved)).sort().join();
    parsePolicyDraft(draft);
    if ((view !== 'form' && view !== 'text') || typeof text !== 'string') return undefined;
    if (Object.keys(draft).sort().join() !== known)
      return { ...stored, view: 'text', draft: createPolicyDraft(saved), text };
    return { ...stored, view, draft, text };
  } catch {
    return undefined;
  }
}

/** Edits one revision of the policy. What is not applied is stored in the browser. */
export function usePolicyEditor({ document: saved, revision }: HubPolicy, storage: DraftStorage): PolicyEditor {
  const [restored, setRestored] = useState(() => restoreContent(storage, saved));
  const [view, setView] = useState<PolicyView>(restored?.view ?? 'form');
  const [draft, setDraft] = useState(() => restored?.draft ?? createPolicyDraft(saved));
  const [text, setText] = useState(() => restored?.text ?? formatPolicy(saved));
  const [isStored, setIsStored] = useState(true);
  const parsed = view === 'form' ? parsePolicyDraft(draft) : parsePolicyText(text);
  const { document } = parsed;
  const isChanged = view === 'form' ? JSON.stringify(parsed) !== normalizePolicy(saved) : text !== formatPolicy(saved);
  const snapshot = JSON.stringify({ view, draft, text } satisfies EditorContent);
  const hasStored = useRef(restored !== undefined);
  useEffect(() => {
    if (isChanged) {
      setIsStored(storage.write(snapshot, revision));
      hasStored.current = true;
    } else if (hasStored.current) {
      storage.remove();
      hasStored.current = false;
    }
  }, [storage, snapshot, revision, isChanged]);
  useDraftPersistence(storage, snapshot, revision, isChanged);
  const discard = (): void => {
    setDraft(createPolicyDraft(saved));
    setText(formatPolicy(saved));
    setRestored(undefined);
    storage.remove();
  };
  const settle = (settled: string): void => {
    if (storage.read()?.text === settled) storage.remove();
  };
  const switchView = (next: PolicyView): void => {
    if (next === view || !document) return;
    const nextDraft = tryCreateDraft(document);
    if (!nextDraft) return;
    setDraft(nextDraft);
    // Unchanged text keeps its formatting.
    setText(isChanged ? formatPolicy(document) : formatPolicy(saved));
    setView(next);
  };
  const write = (part: Partial<PolicyDraft> | string): void => {
    if (typeof part === 'string') setText(part);
    else setDraft((current) => ({ ...current, ...part }));
  };
  return { view, draft, text, parsed, isChanged, restored, isStored, snapshot, settle, switchView, write, discard };
}
