import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../../contract/identity-api.ts';
import { nowMs } from '../../browser.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { formatTimeUntil } from '../../text/format.ts';
import { roleOptions } from '../../text/roles.ts';
import { SecretDialog } from '../secret-dialog.tsx';

export function Invitations() {
  const { identity } = useClient();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>('member');
  const [email, setEmail] = useState('');
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey: ['invitations'] });
  const invite = useMutation({
    mutationFn: () => identity.createInvitation({ role, ...(email === '' ? {} : { email }) }),
    onSuccess,
  });
  return (
    <section className="add">
      <h2>Invite a person</h2>
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
          hint="If set, the link works only for this address."
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Select label="Role" value={role} options={roleOptions} onSelect={setRole} />
        <button type="submit" disabled={invite.isPending}>
          Create link
        </button>
      </form>
      {invite.error ? <ErrorNotice error={invite.error} /> : null}
      <PendingInvitations />
      {invite.data ? (
        <SecretDialog
          title="Invitation"
          secret={invite.data.url}
          hint="Send it to the person you invite."
          onClose={invite.reset}
        />
      ) : null}
    </section>
  );
}

function PendingInvitations() {
  const { identity } = useClient();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => identity.listInvitations({ signal }),
  });
  const withdrawInvitation = useMutation({
    mutationFn: (id: string) => identity.revokeInvitation(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  if (error) return <ErrorNotice error={error} />;
  return (
    <ul className="plain-list">
      {data.map(({ invitation_id: id, role, email, created_by: createdBy, expires_at: expiresAt }) => (
        <li key={id}>
          <span>
            {role} {email === null ? 'for anyone with the link' : `for ${email}`}
            <span className="faint">
              , by {createdBy}, expires {formatTimeUntil(expiresAt, nowMs())}
            </span>
          </span>
          <button type="button" className="small destructive" onClick={() => withdrawInvitation.mutate(id)}>
            Withdraw
          </button>
        </li>
      ))}
    </ul>
  );
}
