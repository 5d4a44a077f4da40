import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { ConfirmTyped } from '../parts/confirm-typed.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { hubPath } from '../shell/paths.ts';
import { useChange } from './use-change.ts';

/** A hub's name and address, and its end. */
export function General({ hub }: { hub: Hub }) {
  return (
    <>
      <p className="faint">
        Made by {hub.created_by} <Ago at={hub.created_at} />. You are {hub.role} of it.
      </p>
      {hub.role === 'owner' ? (
        <>
          <Rename hub={hub} />
          <RemoveHub hub={hub} />
        </>
      ) : (
        <p className="faint">Owners of the hub rename and remove it.</p>
      )}
    </>
  );
}

function Rename({ hub }: { hub: Hub }) {
  const { hubs } = useConnection();
  const [, go] = useLocation();
  const [name, setName] = useState(hub.name);
  const [slug, setSlug] = useState(hub.slug);
  const change = useChange(
    'hubs',
    () => hubs.change(hub.slug, { slug, name }),
    (next, readAgain) => readAgain.then(() => go(hubPath(next.slug, 'general'))),
  );
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Field label="Name" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
      <Field
        label="Slug"
        hint="Addresses with another slug stop leading here; tokens go on."
        required
        maxLength={40}
        spellCheck={false}
        value={slug}
        onChange={({ target }) => setSlug(target.value)}
      />
      <button type="submit" disabled={change.isPending || (name === hub.name && slug === hub.slug)}>
        Save
      </button>
      {change.error ? <Problem error={change.error} /> : null}
    </form>
  );
}

function RemoveHub({ hub: { slug } }: { hub: Hub }) {
  const { hubs } = useConnection();
  const [, go] = useLocation();
  const [asking, setAsking] = useState(false);
  const remove = useChange(
    'hubs',
    () => hubs.remove(slug),
    () => go('/hubs'),
  );
  return (
    <section aria-labelledby="remove">
      <h2 id="remove">Remove this hub</h2>
      <p className="actions">
        <button type="button" onClick={() => setAsking(true)}>
          Remove…
        </button>
      </p>
      {remove.error ? <Problem error={remove.error} /> : null}
      {asking ? (
        <ConfirmTyped
          title={`Remove ${slug}`}
          loss="Its connections with their credentials, its members and everybody’s tokens of it are deleted. The slug is never given to another hub."
          word={slug}
          action="Remove it"
          pending={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </section>
  );
}
