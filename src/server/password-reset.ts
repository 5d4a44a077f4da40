/** Links of `vp reset-password`: what one stands for, and the new password. */
import { PasswordReset, PasswordResetOffer, PasswordResetSecret, SignedIn } from '../contract/identity-api.ts';
import { closed } from './parameters.ts';
import { openRoute, type ServerRoute } from './route.ts';
import { admitPage, signedIn } from './session.ts';

/** The routes. */
export const passwordResetRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'POST',
    path: '/api/v1/password-reset/look-up',
    operation: 'lookUpPasswordReset',
    summary: 'Whose password the secret of a link sets',
    body: closed(PasswordResetSecret),
    answer: PasswordResetOffer,
    handler: async (call) => {
      admitPage(call);
      return call.services.identity.passwordLinks.lookUp(call.body.secret);
    },
  }),
  openRoute({
    method: 'POST',
    path: '/api/v1/password-reset',
    operation: 'resetPassword',
    summary: 'Set a new password by a link, end the person’s sessions and grants, and sign in; the link ends',
    body: closed(PasswordReset),
    answer: SignedIn,
    status: 201,
    handler: async (call) => signedIn(call, await call.services.identity.passwordLinks.use(call.body, admitPage(call))),
  }),
];
