import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../contract/identity-api.ts';
import { nowMs } from '../browser.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { untilText } from '../words/moments.ts';
import { roleOptions } from '../words/roles.ts';
import { ShownOnce } from './shown-once.tsx';

/** Invites by a link that is shown once. */
export function Invitations() {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>('member');
  const [email, setEmail] = useState('');
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey: ['invitations'] });
  const invite = useMutation({
    mutationFn: () => identity.invite({ role, ...(email === '' ? {} : { email }) }),
    onSuccess,
  });
  return (
    <section className="add">
      <h2>Invite somebody</h2>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          invite.mutate();
        }}
      >
        <Field
          label="Email (optional)"
          type="email"
          hint="With an address, the link is good for that address only."
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Choice label="Role" value={role} options={roleOptions} onChoose={setRole} />
        <button type="submit" disabled={invite.isPending}>
          Make a link
        </button>
      </form>
      {invite.error ? <Problem error={invite.error} /> : null}
      <Waiting />
      {invite.data ? (
        <ShownOnce
          title="Invitation"
          secret={invite.data.url}
          hint="Send it to the person you invite."
          onClose={invite.reset}
        />
      ) : null}
    </section>
  );
}

/** Invitations that nobody has taken up. */
function Waiting() {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => identity.invitations({ signal }),
  });
  const withdraw = useMutation({
    mutationFn: (id: string) => identity.withdrawInvitation(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  if (error) return <Problem error={error} />;
  return (
    <ul className="plain-list">
      {data.map(({ invitation_id: id, role, email, created_by: by, expires_at: until }) => (
        <li key={id}>
          <span>
            {role} {email === null ? 'for whoever has the link' : `for ${email}`}
            <span className="faint">
              , by {by}, expires {untilText(until, nowMs())}
            </span>
          </span>
          <button type="button" className="quiet" onClick={() => withdraw.mutate(id)}>
            Withdraw
          </button>
        </li>
      ))}
    </ul>
  );
}
