import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { hubPath } from '../paths.ts';
import { useClient } from '../session/client.ts';
import { useInvalidatingMutation } from './use-invalidating-mutation.ts';

/** `from`: the value that was displayed when the person began to change it. */
type SettingEdit = { readonly value: string; readonly from: string };
type SettingEdits = { readonly name?: SettingEdit; readonly slug?: SettingEdit };

export function RenameHub({ hub }: { hub: Hub }) {
  const { hubs } = useClient();
  const [, navigate] = useLocation();
  const [edits, setEdits] = useState<SettingEdits>({});
  const name = edits.name?.value ?? hub.name;
  const slug = edits.slug?.value ?? hub.slug;
  const change = useInvalidatingMutation(
    'hubs',
    () =>
      hubs.update(hub.slug, {
        ...(edits.name ? { name, if_settings: { name: edits.name.from } } : {}),
        ...(edits.slug ? { slug } : {}),
      }),
    async (next, refetched) => {
      await refetched;
      setEdits({});
      navigate(hubPath(next.slug, 'general'));
    },
  );
  const edit = (setting: keyof SettingEdits, value: string): void =>
    setEdits((current) => ({ ...current, [setting]: { value, from: current[setting]?.from ?? hub[setting] } }));
  // Who has seen the name that somebody else gave the hub may replace it.
  const acceptPresentName = (error: Error): void => {
    const from = findPresentName(error);
    if (from !== undefined) setEdits((current) => ({ ...current, name: { value: current.name?.value ?? from, from } }));
  };
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(undefined, { onError: acceptPresentName });
      }}
    >
      <Field label="Name" required maxLength={100} value={name} onChange={({ target }) => edit('name', target.value)} />
      <Field
        label="Slug"
        hint="URLs with the old slug stop working. Tokens keep working."
        required
        maxLength={40}
        spellCheck={false}
        value={slug}
        onChange={({ target }) => edit('slug', target.value)}
      />
      <button type="submit" disabled={change.isPending || (name === hub.name && slug === hub.slug)}>
        Save
      </button>
      {change.error ? <ErrorNotice error={change.error} /> : null}
    </form>
  );
}

function findPresentName(error: Error): string | undefined {
  if (!(error instanceof VpError) || error.code !== 'HUB_SETTINGS_CHANGED') return undefined;
  const { name } = Object(Object(error.diagnostics[0]).actual);
  return typeof name === 'string' ? name : undefined;
}
