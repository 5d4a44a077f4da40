/** Links of `vp reset-password`: looking one up, and setting the new password. */
import {
  PasswordResetDetails,
  PasswordResetLookupRequest,
  ResetPasswordRequest,
  SignInResponse,
} from '../../contract/identity-api.ts';
import { closedSchema } from '../request-schemas.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import { acceptPageRequest, completeSignIn } from './session-routes.ts';

export const passwordResetRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'POST',
    path: '/api/v1/password-reset/look-up',
    operation: 'lookUpPasswordReset',
    summary: 'Whose password the secret of a link sets',
    body: closedSchema(PasswordResetLookupRequest),
    response: PasswordResetDetails,
    handler: async (call) => {
      acceptPageRequest(call);
      return call.services.identity.passwordLinks.lookUp(call.body.secret);
    },
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/password-reset',
    operation: 'resetPassword',
    summary:
      'Set a new password by a link, revoke the person’s sessions and grants, and sign in; the link becomes invalid',
    body: closedSchema(ResetPasswordRequest),
    response: SignInResponse,
    status: 201,
    handler: async (call) =>
      completeSignIn(call, await call.services.identity.passwordLinks.redeem(call.body, acceptPageRequest(call))),
  }),
];
