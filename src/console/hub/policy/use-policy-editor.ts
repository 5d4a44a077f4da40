import { useState } from 'react';
import type { HubPolicyDocument } from '../../../contract/hub-policy-api.ts';
import { draftOfPolicy, type PolicyDraft, policyOf } from './policy-draft.ts';
import { type ReadPolicy, readPolicy } from './read-policy.ts';

/** The form or the text: each holds what is written until the other is looked at. */
export type PolicyView = 'form' | 'text';
/** A policy while it is written. */
export type PolicyEditor = {
  readonly view: PolicyView;
  readonly draft: PolicyDraft;
  readonly text: string;
  readonly read: ReadPolicy;
  readonly isChanged: boolean;
  /** Stays where it is when what is written is no policy yet. */
  show(view: PolicyView): void;
  write(part: Partial<PolicyDraft> | string): void;
  discard(): void;
};

const textOf = (document: HubPolicyDocument): string => JSON.stringify(document, undefined, 2);
/** Two ways to write the same policy count as one. */
const meaning = (document: HubPolicyDocument): string => JSON.stringify(policyOf(draftOfPolicy(document)));

/** True for what the form can hold; a text may be JSON of another shape, which only the server tells in words. */
function drafted(document: HubPolicyDocument): PolicyDraft | undefined {
  try {
    return draftOfPolicy(document);
  } catch {
    return undefined;
  }
}

/** Begins with what is in force. */
export function usePolicyEditor(before: HubPolicyDocument): PolicyEditor {
  const [view, setView] = useState<PolicyView>('form');
  const [draft, setDraft] = useState(() => draftOfPolicy(before));
  const [text, setText] = useState(() => textOf(before));
  const read = view === 'form' ? policyOf(draft) : readPolicy(text);
  const { document } = read;
  const isChanged = view === 'form' ? JSON.stringify(read) !== meaning(before) : text !== textOf(before);
  const discard = (): void => {
    setDraft(draftOfPolicy(before));
    setText(textOf(before));
  };
  const show = (next: PolicyView): void => {
    if (next === view || !document) return;
    const other = drafted(document);
    if (!other) return;
    setDraft(other);
    // What nobody changed stays written as it was.
    setText(isChanged ? textOf(document) : textOf(before));
    setView(next);
  };
  const write = (part: Partial<PolicyDraft> | string): void => {
    if (typeof part === 'string') setText(part);
    else setDraft((now) => ({ ...now, ...part }));
  };
  return { view, draft, text, read, isChanged, show, write, discard };
}
