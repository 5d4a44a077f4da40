import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import type { ConnectionDraftProps } from './connection-target.tsx';

const credentialKinds = [
  ['none', 'none'],
  ['header', 'a header'],
  ['oauth', 'OAuth'],
] as const;

const sharingOptions = [
  ['shared', 'shared by the hub'],
  ['per_user', 'one per person'],
] as const;

/** The credential that the hub sends to the upstream server. Secrets can be entered but not read back. */
export function CredentialFields({ draft, onChange, isNew }: ConnectionDraftProps) {
  const options = isNew ? credentialKinds : ([['unchanged', 'keep the current one'], ...credentialKinds] as const);
  return (
    <>
      <Select
        label="Credential"
        value={draft.credential}
        options={options}
        onSelect={(credential) => onChange({ credential })}
      />
      {draft.credential === 'header' ? <HeaderFields draft={draft} onChange={onChange} isNew={isNew} /> : null}
      {draft.credential === 'oauth' ? <OauthFields draft={draft} onChange={onChange} isNew={isNew} /> : null}
    </>
  );
}

function HeaderFields({ draft, onChange }: ConnectionDraftProps) {
  return (
    <>
      <Field
        label="Header"
        required
        maxLength={100}
        spellCheck={false}
        value={draft.header}
        onChange={(event) => onChange({ header: event.target.value })}
      />
      <Field
        label="Value"
        type="password"
        hint="Sent unchanged: an Authorization header needs the Bearer prefix. Stored encrypted."
        required
        autoComplete="off"
        value={draft.value}
        onChange={(event) => onChange({ value: event.target.value })}
      />
    </>
  );
}

function OauthFields({ draft, onChange }: ConnectionDraftProps) {
  return (
    <>
      <Select
        label="Sign-in"
        value={draft.sharing}
        options={sharingOptions}
        onSelect={(sharing) => onChange({ sharing })}
      />
      <Field
        label="Client id"
        hint="Leave empty to let the hub register itself."
        autoComplete="off"
        value={draft.clientId}
        onChange={(event) => onChange({ clientId: event.target.value })}
      />
      <Field
        label="Client secret"
        type="password"
        autoComplete="off"
        value={draft.clientSecret}
        onChange={(event) => onChange({ clientSecret: event.target.value })}
      />
      <Field label="Scope" value={draft.scope} onChange={(event) => onChange({ scope: event.target.value })} />
    </>
  );
}
