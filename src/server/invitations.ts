import { Type } from '@sinclair/typebox';
import { page } from '../contract/api.ts';
import {
  Invitation,
  InvitationAccept,
  InvitationCreated,
  InvitationNew,
  InvitationOffer,
  InvitationSecret,
  SignedIn,
} from '../contract/identity-api.ts';
import { closed } from './parameters.ts';
import { openRoute, route, type ServerRoute } from './route.ts';
import { admitPage, signedIn } from './session.ts';
import { linkOrigin } from './site.ts';

/** Links that let somebody make an account. */
export const invitationRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/invitations',
    operation: 'listInvitations',
    summary: 'Invitations that wait, newest first',
    action: 'invitation.manage',
    answer: page(Invitation),
    handler: async ({ services }) => ({ items: await services.identity.invitations.list(), next_cursor: null }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/invitations',
    operation: 'invite',
    summary: 'Make a link that lets one person make an account; it is shown this once',
    action: 'invitation.manage',
    body: closed(InvitationNew),
    answer: InvitationCreated,
    status: 201,
    handler: async ({ services, caller, body, request }) => {
      const { invitation, secret } = await services.identity.invitations.make(caller, body);
      return { invitation, url: `${linkOrigin(request, services.publicUrls)}/invitation#${secret}` };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/invitations/{invitation}',
    operation: 'takeBackInvitation',
    summary: 'Take an invitation back; its link ends at once',
    action: 'invitation.manage',
    params: Type.Object({ invitation: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.invitations.takeBack(caller, params.invitation),
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/invitations/look-up',
    operation: 'lookUpInvitation',
    summary: 'What the secret of a link stands for',
    body: closed(InvitationSecret),
    answer: InvitationOffer,
    handler: async (call) => {
      admitPage(call);
      return call.services.identity.invitations.lookUp(call.body.secret);
    },
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/invitations/accept',
    operation: 'acceptInvitation',
    summary: 'Make the account and sign in; the link ends',
    body: closed(InvitationAccept),
    answer: SignedIn,
    status: 201,
    handler: async (call) =>
      signedIn(call, await call.services.identity.signIn.withInvitation(call.body, admitPage(call))),
  }),
];
