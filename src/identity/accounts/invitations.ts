/** Invitations: links with which a person creates an account with a given role. */
import type { Static } from '@sinclair/typebox';
import type { CreateInvitationRequest, Invitation, InvitationDetails } from '../../contract/identity-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  deleteInvitation,
  findInvitationByHash,
  type InvitationRow,
  insertInvitation,
  listInvitations,
} from '../../store/control/identity/links.ts';
import type { SessionCaller } from '../caller.ts';
import { createId, createSecret, hashSecret, type IdentityContext } from '../context.ts';

export type InvitationsService = {
  /** `secret` is returned only this once. */
  create(
    caller: SessionCaller,
    input: Static<typeof CreateInvitationRequest>,
  ): Promise<{ invitation: Invitation; secret: string }>;
  list(): Promise<Invitation[]>;
  /** Throws INVITATION_UNKNOWN. */
  revoke(caller: SessionCaller, invitationId: string): Promise<void>;
  /** The invitation behind a link. Throws LINK_ENDED. */
  lookUp(secret: string): Promise<Static<typeof InvitationDetails>>;
};

function toInvitation(row: InvitationRow): Invitation {
  return {
    invitation_id: row.id,
    role: row.role,
    email: row.email,
    created_at: formatTimestamp(row.created_at_ms),
    expires_at: formatTimestamp(row.expires_at_ms),
    created_by: row.created_by_name,
  };
}

export function createInvitationsService(context: IdentityContext): InvitationsService {
  const { database, clock, settings, logSecurityEvent } = context;
  return {
    async create(caller, { role, email = null }) {
      const secret = createSecret(context);
      const nowMs = clock.nowMs();
      const times = { created_at_ms: nowMs, expires_at_ms: nowMs + settings.invitationMs };
      const row = { id: createId(context), role, email, created_by: caller.personId, ...times };
      await database.write((sql) => insertInvitation(sql, row, hashSecret(context, secret)));
      logSecurityEvent({ event: 'invitation_made', level: 'info', invitation: row.id, role, by: caller.personId });
      return { invitation: toInvitation({ ...row, created_by_name: caller.name }), secret };
    },
    list: async () => (await database.read((sql) => listInvitations(sql, clock.nowMs()))).map(toInvitation),
    async revoke(caller, invitationId) {
      const isDeleted = await database.write((sql) => deleteInvitation(sql, invitationId));
      if (!isDeleted) throw vpError('INVITATION_UNKNOWN', {});
      logSecurityEvent({
        event: 'invitation_taken_back',
        level: 'info',
        invitation: invitationId,
        by: caller.personId,
      });
    },
    async lookUp(secret) {
      const row = await database.read((sql) => findInvitationByHash(sql, hashSecret(context, secret), clock.nowMs()));
      if (!row) throw vpError('LINK_ENDED', {});
      return { role: row.role, email: row.email, invited_by: row.created_by_name };
    },
  };
}
