import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person, Role } from '../../contract/identity-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Choice } from '../parts/choice.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { roleNames } from '../words/roles.ts';
import { ConfirmTyped } from './confirm-typed.tsx';

/** One person; owners change the role and remove. */
export function PersonRow({ person, mayChange }: { person: Person; mayChange: boolean }) {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey: ['people'] });
  const change = useMutation({ mutationFn: (role: Role) => identity.changeRole(person.person_id, role), onSuccess });
  const remove = useMutation({
    mutationFn: () => identity.removePerson(person.person_id),
    onSuccess,
    onSettled: () => setRemoving(false),
  });
  const error = change.error ?? remove.error;
  return (
    <tr>
      <td className="person-name">
        {person.name}
        {error ? <Problem error={error} /> : null}
      </td>
      <td data-label="Email">{person.email}</td>
      <td data-label="Role">
        {mayChange ? (
          <Choice
            bare
            label={`Role of ${person.name}`}
            value={person.role}
            options={roleNames.map((role) => [role, role])}
            onChoose={(role) => change.mutate(role)}
          />
        ) : (
          person.role
        )}
      </td>
      <td data-label="Seen">{person.last_seen_at === null ? 'never' : <Ago at={person.last_seen_at} />}</td>
      {mayChange ? (
        <td>
          <button type="button" className="quiet" onClick={() => setRemoving(true)}>
            Remove…
          </button>
          {removing ? (
            <ConfirmTyped
              title={`Remove ${person.name}`}
              loss="The account, its sessions and its keys end at once. What the person ran and wrote stays, under that name."
              word={person.email}
              action="Remove"
              pending={remove.isPending}
              onConfirm={() => remove.mutate()}
              onClose={() => setRemoving(false)}
            />
          ) : null}
        </td>
      ) : null}
    </tr>
  );
}
