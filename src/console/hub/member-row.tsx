import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { HubMember } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Choice } from '../parts/choice.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { ConfirmTyped } from '../settings/confirm-typed.tsx';
import { hubRoles } from './roles.ts';
import { useChange } from './use-change.ts';

type MemberRowProps = { readonly hub: string; readonly member: HubMember; readonly mayChange: boolean };

/** One member; owners change the role and remove. */
export function MemberRow({ hub, member, mayChange }: MemberRowProps) {
  const { hubs } = useConnection();
  const queries = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const { person_id: id, name } = member;
  // One's own role decides what is shown.
  const renew = (): void => void queries.invalidateQueries({ queryKey: ['hubs'] });
  const change = useChange('hub-members', (role: HubMember['role']) => hubs.putMember(hub, id, role), renew);
  const remove = useChange('hub-members', () => hubs.removeMember(hub, id), renew);
  const error = change.error ?? remove.error;
  return (
    <tr>
      <td className="person-name">
        {name}
        {error ? <Problem error={error} /> : null}
      </td>
      <td data-label="Email">{member.email}</td>
      <td data-label="Role">
        {mayChange ? (
          <Choice bare label={`Role of ${name}`} value={member.role} options={hubRoles} onChoose={change.mutate} />
        ) : (
          member.role
        )}
      </td>
      <td data-label="Added">
        <Ago at={member.added_at} />
      </td>
      {mayChange ? (
        <td>
          <button type="button" className="quiet" onClick={() => setRemoving(true)}>
            Remove…<span className="unseen"> {name}</span>
          </button>
          {removing ? (
            <ConfirmTyped
              title={`Remove ${name} from ${hub}`}
              loss="Their tokens of this hub are refused from the next call on. What they called stays in the audit."
              word={member.email}
              action="Remove"
              pending={remove.isPending}
              onConfirm={() => remove.mutate(undefined, { onSettled: () => setRemoving(false) })}
              onClose={() => setRemoving(false)}
            />
          ) : null}
        </td>
      ) : null}
    </tr>
  );
}
