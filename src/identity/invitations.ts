/** Links that let somebody make an account with a role. */
import type { Static } from '@sinclair/typebox';
import type { Invitation, InvitationNew, InvitationOffer } from '../contract/identity-api.ts';
import { vpError } from '../errors/vp-error.ts';
import {
  deleteInvitation,
  findInvitation,
  type InvitationRow,
  insertInvitation,
  listInvitations,
} from '../store/control/identity-links.ts';
import type { SessionCaller } from './caller.ts';
import { hashOf, type IdentityContext, newId, newSecret } from './context.ts';
import { momentOf } from './person.ts';

/** Invitations. */
export type Invitations = {
  /** `secret` is told this once. */
  make(caller: SessionCaller, input: Static<typeof InvitationNew>): Promise<{ invitation: Invitation; secret: string }>;
  list(): Promise<Invitation[]>;
  /** Throws INVITATION_UNKNOWN. */
  takeBack(caller: SessionCaller, invitationId: string): Promise<void>;
  /** What a link stands for. Throws LINK_ENDED. */
  lookUp(secret: string): Promise<Static<typeof InvitationOffer>>;
};

function wireInvitation(row: InvitationRow): Invitation {
  return {
    invitation_id: row.id,
    role: row.role,
    email: row.email,
    created_at: momentOf(row.created_at_ms),
    expires_at: momentOf(row.expires_at_ms),
    created_by: row.created_by_name,
  };
}

/** See {@link Invitations}. */
export function invitationsOf(context: IdentityContext): Invitations {
  const { database, clock, settings, tell } = context;
  return {
    async make(caller, { role, email = null }) {
      const secret = newSecret(context);
      const nowMs = clock.nowMs();
      const times = { created_at_ms: nowMs, expires_at_ms: nowMs + settings.invitationMs };
      const row = { id: newId(context), role, email, created_by: caller.personId, ...times };
      await database.write((sql) => insertInvitation(sql, row, hashOf(context, secret)));
      tell({ event: 'invitation_made', level: 'info', invitation: row.id, role, by: caller.personId });
      return { invitation: wireInvitation({ ...row, created_by_name: caller.name }), secret };
    },
    list: async () => (await database.read((sql) => listInvitations(sql, clock.nowMs()))).map(wireInvitation),
    async takeBack(caller, invitationId) {
      const done = await database.write((sql) => deleteInvitation(sql, invitationId));
      if (!done) throw vpError('INVITATION_UNKNOWN', {});
      tell({ event: 'invitation_taken_back', level: 'info', invitation: invitationId, by: caller.personId });
    },
    async lookUp(secret) {
      const row = await database.read((sql) => findInvitation(sql, hashOf(context, secret), clock.nowMs()));
      if (!row) throw vpError('LINK_ENDED', {});
      return { role: row.role, email: row.email, invited_by: row.created_by_name };
    },
  };
}
