import { useState } from 'react';
import type { HubConnection } from '../../contract/hub-api.ts';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { type ConnectionDraft, connectionOf, draftOf } from './connection-draft.ts';
import { CredentialFields } from './credential-fields.tsx';
import { useChange } from './use-change.ts';

const kinds = [
  ['http', 'Streamable HTTP'],
  ['sse', 'HTTP with SSE (older)'],
  ['stdio', 'a program of the operator'],
] as const;

type DialogProps = { readonly hub: string; readonly before: HubConnection | undefined; readonly onClose: () => void };

/** Adds a connection, or changes the one `before`. */
export function ConnectionDialog({ hub, before, onClose }: DialogProps) {
  const { hubs } = useConnection();
  const [draft, setDraft] = useState(() => draftOf(before));
  const set = (part: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...part });
  const save = useChange(
    'hub-connections',
    () => {
      const { kind, ...rest } = connectionOf(draft);
      return before
        ? hubs.changeConnection(hub, before.connection_id, rest)
        : hubs.addConnection(hub, { kind, ...rest });
    },
    onClose,
  );
  return (
    <Dialog title={before ? `Edit ${before.name}` : 'Add connection'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined);
        }}
      >
        <Target draft={draft} set={set} isNew={!before} />
        {draft.kind === 'stdio' ? null : <CredentialFields draft={draft} set={set} isNew={!before} />}
        {save.error ? <Problem error={save.error} /> : null}
        <footer className="dialog-foot">
          <button type="button" onClick={onClose}>
            {before ? 'Keep as it was' : 'Do not add'}
          </button>
          <button type="submit" className="strong" disabled={save.isPending}>
            {before ? 'Save' : 'Add'}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Parts of the form. */
export type DraftProps = {
  readonly draft: ConnectionDraft;
  readonly set: (part: Partial<ConnectionDraft>) => void;
  readonly isNew: boolean;
};

function Target({ draft: { name, kind, target }, set, isNew }: DraftProps) {
  return (
    <>
      {isNew ? <Choice label="Kind" value={kind} options={kinds} onChoose={(one) => set({ kind: one })} /> : null}
      {kind === 'stdio' ? (
        <Field
          label="Command"
          hint="A name of the operator’s file. Only owners of the control plane add these."
          required
          spellCheck={false}
          value={target}
          onChange={(event) => set({ target: event.target.value })}
        />
      ) : (
        <Field
          label="URL"
          type="url"
          required
          placeholder="https://tools.example.com/mcp"
          value={target}
          onChange={(event) => set({ target: event.target.value })}
        />
      )}
      <Field
        label="Name"
        hint={`Stands before its tools: ${name || 'name'}__tool`}
        required
        maxLength={24}
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
        title="lowercase letters and digits, with single hyphens between them"
        spellCheck={false}
        autoComplete="off"
        value={name}
        onChange={(event) => set({ name: event.target.value })}
      />
    </>
  );
}
