import { useState } from 'react';
import { useLocation } from 'wouter';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { useMay } from '../session/use-session.ts';
import { hubPath } from '../shell/paths.ts';
import { useChange } from './use-change.ts';

/** Makes a hub, and goes to it. */
export function NewHub() {
  const { hubs } = useConnection();
  const [, go] = useLocation();
  const [slug, setSlug] = useState('');
  const [name, setName] = useState('');
  const create = useChange(
    'hubs',
    () => hubs.create({ slug, ...(name.trim() === '' ? {} : { name }) }),
    (hub, readAgain) => readAgain.then(() => go(hubPath(hub.slug))),
  );
  if (!useMay('member')) return <p className="faint">Members of the control plane make hubs.</p>;
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
          hint={`Its address: ${location.host}/hub/${slug || '…'}/mcp`}
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
          label="Name (may be left out)"
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit" className="strong" disabled={create.isPending}>
          Create hub
        </button>
        {create.error ? <Problem error={create.error} /> : null}
      </form>
    </section>
  );
}
