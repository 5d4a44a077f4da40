import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { CommandChoice } from './command-choice.tsx';
import { type ConnectionDraft, hasUrl } from './connection-draft.ts';

/** Parts of the form. */
export type DraftProps = {
  readonly draft: ConnectionDraft;
  readonly set: (part: Partial<ConnectionDraft>) => void;
  readonly isNew: boolean;
};

/** The same, of a hub. */
export type TargetProps = DraftProps & { readonly hub: string };

const kinds = [
  ['http', 'a URL (Streamable HTTP)'],
  ['sse', 'an older URL (HTTP with SSE)'],
  ['memory', 'the memory of this control plane'],
  ['stdio', 'a program of the operator'],
] as const;

/** Where the server is. */
export function ConnectionTarget({ hub, draft: { kind, target }, set, isNew }: TargetProps) {
  return (
    <>
      {isNew ? (
        <Choice
          label="Connect"
          value={kind}
          options={kinds}
          onChoose={(one) => set(hasUrl(one) && hasUrl(kind) ? { kind: one } : { kind: one, target: '' })}
        />
      ) : null}
      {hasUrl(kind) ? (
        <Field
          label="URL"
          type="url"
          required
          data-first
          placeholder="https://tools.example.com/mcp"
          value={target}
          onChange={(event) => set({ target: event.target.value })}
        />
      ) : null}
      {kind === 'stdio' ? <CommandChoice hub={hub} value={target} onChoose={(name) => set({ target: name })} /> : null}
      {kind === 'memory' ? (
        <p className="faint">
          What people and programs of this hub remember: each person’s own, and what the hub shares.
        </p>
      ) : null}
    </>
  );
}

/** The prefix of its tools; only what is kept needs one. */
export function ConnectionName({ draft: { name }, set, isNew, isNeeded }: DraftProps & { readonly isNeeded: boolean }) {
  return (
    <Field
      label="Name"
      hint={
        isNew
          ? `Stands before its tools: ${name || 'name'}__tool`
          : 'Another name gives its tools other names: policies and clients that name them must follow.'
      }
      required={isNeeded}
      maxLength={24}
      pattern="[a-z0-9]+(-[a-z0-9]+)*"
      title="lowercase letters and digits, with single hyphens between them"
      spellCheck={false}
      autoComplete="off"
      value={name}
      onChange={(event) => set({ name: event.target.value })}
    />
  );
}
