import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import type { DraftProps } from './connection-target.tsx';

const kinds = [
  ['none', 'none'],
  ['header', 'a header'],
  ['oauth', 'OAuth'],
] as const;

const sharings = [
  ['shared', 'one for the whole hub'],
  ['per_user', 'each person their own'],
] as const;

/** What the hub shows the upstream server; secrets are written here and never shown again. */
export function CredentialFields({ draft, set, isNew }: DraftProps) {
  const options = isNew ? kinds : ([['kept', 'as it is'], ...kinds] as const);
  return (
    <>
      <Choice
        label="Credential"
        value={draft.credential}
        options={options}
        onChoose={(credential) => set({ credential })}
      />
      {draft.credential === 'header' ? <HeaderFields draft={draft} set={set} isNew={isNew} /> : null}
      {draft.credential === 'oauth' ? <OauthFields draft={draft} set={set} isNew={isNew} /> : null}
    </>
  );
}

function HeaderFields({ draft, set }: DraftProps) {
  return (
    <>
      <Field
        label="Header"
        required
        maxLength={100}
        spellCheck={false}
        value={draft.header}
        onChange={(event) => set({ header: event.target.value })}
      />
      <Field
        label="Value"
        type="password"
        hint="Sent as it is, so that Authorization needs its Bearer. Kept sealed."
        required
        autoComplete="off"
        value={draft.value}
        onChange={(event) => set({ value: event.target.value })}
      />
    </>
  );
}

function OauthFields({ draft, set }: DraftProps) {
  return (
    <>
      <Choice label="Signs in" value={draft.sharing} options={sharings} onChoose={(sharing) => set({ sharing })} />
      <Field
        label="Client id"
        hint="Left out, the hub registers itself."
        autoComplete="off"
        value={draft.clientId}
        onChange={(event) => set({ clientId: event.target.value })}
      />
      <Field
        label="Client secret"
        type="password"
        autoComplete="off"
        value={draft.clientSecret}
        onChange={(event) => set({ clientSecret: event.target.value })}
      />
      <Field label="Scope" value={draft.scope} onChange={(event) => set({ scope: event.target.value })} />
    </>
  );
}
