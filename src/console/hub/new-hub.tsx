import { useState } from 'react';
import { useLocation } from 'wouter';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { hubPath } from '../paths.ts';
import { useClient } from '../session/client.ts';
import { useHasRole } from '../session/use-session.ts';
import { useInvalidatingMutation } from './use-invalidating-mutation.ts';

export function NewHub() {
  const { hubs } = useClient();
  const [, navigate] = useLocation();
  const [slug, setSlug] = useState('');
  const [name, setName] = useState('');
  const create = useInvalidatingMutation(
    'hubs',
    () => hubs.create({ slug, ...(name.trim() === '' ? {} : { name }) }),
    (hub, refetched) => refetched.then(() => navigate(hubPath(hub.slug))),
  );
  if (!useHasRole('member')) return <p className="faint">Only members of the control plane can create hubs.</p>;
  return (
    <section aria-labelledby="new-hub">
      <h2 id="new-hub">New hub</h2>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label="Slug"
          hint={`Address: ${location.host}/hub/${slug || '…'}/mcp`}
          required
          minLength={2}
          maxLength={40}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          title="lowercase letters and digits, with single hyphens between them"
          autoComplete="off"
          spellCheck={false}
          placeholder="acme"
          value={slug}
          onChange={({ target }) => setSlug(target.value)}
        />
        <Field
          label="Name (optional)"
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit" className="strong" disabled={create.isPending}>
          Create hub
        </button>
        {create.error ? <ErrorNotice error={create.error} /> : null}
      </form>
    </section>
  );
}
