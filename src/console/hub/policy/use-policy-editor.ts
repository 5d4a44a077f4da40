import { useState } from 'react';
import type { HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
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

export function usePolicyEditor(saved: HubPolicyDocument): PolicyEditor {
  const [view, setView] = useState<PolicyView>('form');
  const [draft, setDraft] = useState(() => createPolicyDraft(saved));
  const [text, setText] = useState(() => formatPolicy(saved));
  const parsed = view === 'form' ? parsePolicyDraft(draft) : parsePolicyText(text);
  const { document } = parsed;
  const isChanged = view === 'form' ? JSON.stringify(parsed) !== normalizePolicy(saved) : text !== formatPolicy(saved);
  const discard = (): void => {
    setDraft(createPolicyDraft(saved));
    setText(formatPolicy(saved));
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
  return { view, draft, text, parsed, isChanged, switchView, write, discard };
}
