/** Where a channel leads. What is stored is not shown: empty fields leave it as it is. */
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import type { ChannelDraft } from './channel-draft.ts';

type TargetFieldsProps = {
  readonly draft: ChannelDraft;
  /** Undefined for a new channel, which needs a target. */
  readonly destination: string | undefined;
  readonly update: (part: Partial<ChannelDraft>) => void;
};

const urlHints = {
  slack: 'The URL of an incoming webhook, which Slack shows.',
  teams: 'The URL of the workflow “When a Teams webhook request is received”.',
  webhook: 'Messages are signed with a secret that is shown once.',
} as const;

const securityOptions = [
  ['starttls', 'STARTTLS'],
  ['tls', 'TLS from the first byte'],
  ['none', 'none, in a private network'],
] as const;

export function TargetFields({ draft, destination, update }: TargetFieldsProps) {
  if (draft.kind === 'email') return <MailFields draft={draft} destination={destination} update={update} />;
  const hint = destination === undefined ? urlHints[draft.kind] : `Empty: it stays at ${destination}.`;
  return (
    <Field
      label="URL"
      hint={hint}
      type="url"
      required={destination === undefined}
      autoComplete="off"
      spellCheck={false}
      value={draft.url}
      onChange={({ target }) => update({ url: target.value })}
    />
  );
}

function MailFields({ draft, destination, update }: TargetFieldsProps) {
  const isNeeded = destination === undefined || draft.server !== '';
  const text = (name: 'server' | 'user' | 'from' | 'to') => ({
    autoComplete: 'off',
    spellCheck: false,
    value: draft[name],
    onChange: ({ target }: { target: HTMLInputElement }) => update({ [name]: target.value }),
  });
  return (
    <>
      <Field
        label="Mail server"
        hint={destination === undefined ? undefined : `Empty: it stays ${destination}.`}
        required={destination === undefined}
        placeholder="smtp.example.org"
        {...text('server')}
      />
      {isNeeded ? (
        <>
          <Field
            label="Port"
            type="number"
            required
            min={1}
            max={65_535}
            value={draft.port}
            onChange={({ target }) => update({ port: target.value })}
          />
          <Select
            label="Security"
            value={draft.security}
            options={securityOptions}
            onSelect={(security) => update({ security, port: security === 'tls' ? '465' : draft.port })}
          />
          <Field label="User" hint="Empty where the server asks for none." {...text('user')} />
          {draft.user === '' ? null : (
            <Field
              label="Password"
              type="password"
              required
              autoComplete="new-password"
              value={draft.password}
              onChange={({ target }) => update({ password: target.value })}
            />
          )}
          <Field label="From" type="email" required {...text('from')} />
          <Field label="To" hint="One address, or several." required {...text('to')} />
        </>
      ) : null}
    </>
  );
}
