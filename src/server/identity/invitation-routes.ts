import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  AcceptInvitationRequest,
  CreateInvitationRequest,
  CreateInvitationResponse,
  Invitation,
  InvitationDetails,
  InvitationLookupRequest,
  SignInResponse,
} from '../../contract/identity-api.ts';
import { getLinkOrigin } from '../access/site.ts';
import { closedSchema } from '../request-schemas.ts';
import { openRoute, route, type ServerRoute, toSinglePage } from '../route.ts';
import { acceptPageRequest, completeSignIn } from './session-routes.ts';

export const invitationRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/invitations',
    operation: 'listInvitations',
    summary: 'Pending invitations, newest first',
    action: 'invitation.manage',
    response: pageSchema(Invitation),
    handler: async ({ services }) => toSinglePage(await services.identity.invitations.list()),
  }),
  route({
    method: 'POST',
    path: '/api/v1/invitations',
    operation: 'invite',
    summary: 'Create a link that lets one person create an account; it is returned only here',
    action: 'invitation.manage',
    body: closedSchema(CreateInvitationRequest),
    response: CreateInvitationResponse,
    status: 201,
    handler: async ({ services, caller, body, request }) => {
      const { invitation, secret } = await services.identity.invitations.create(caller, body);
      return { invitation, url: `${getLinkOrigin(request, services.publicUrls)}/invitation#${secret}` };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/invitations/{invitation}',
    operation: 'takeBackInvitation',
    summary: 'Revoke an invitation; its link is invalid at once',
    action: 'invitation.manage',
    params: Type.Object({ invitation: Type.String({ maxLength: 100 }) }),
    handler: ({ services, caller, params }) => services.identity.invitations.revoke(caller, params.invitation),
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/invitations/look-up',
    operation: 'lookUpInvitation',
    summary: 'The invitation of a link’s secret',
    body: closedSchema(InvitationLookupRequest),
    response: InvitationDetails,
    handler: async (call) => {
      acceptPageRequest(call);
      return call.services.identity.invitations.lookUp(call.body.secret);
    },
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/invitations/accept',
    operation: 'acceptInvitation',
    summary: 'Create the account and sign in; the link becomes invalid',
    body: closedSchema(AcceptInvitationRequest),
    response: SignInResponse,
    status: 201,
    handler: async (call) =>
      completeSignIn(call, await call.services.identity.signIn.withInvitation(call.body, acceptPageRequest(call))),
  }),
];
