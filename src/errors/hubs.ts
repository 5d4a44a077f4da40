/** Errors of hubs. Who does not belong to a hub learns nothing of it, not even whether there is one. */
import { answering, conflict, invalid, missing } from './row.ts';

const refused = answering(403);
const ended = answering(410);

/** Area: hubs. */
export const hubErrors = {
  HUB_UNKNOWN: missing(
    'you belong to no hub {{hub}}',
    '`vp hubs` lists yours; an owner of a hub adds further people to it',
  ),
  HUB_PERSON_NEEDED: refused(
    'hubs belong to people, and nobody has an account on this control plane yet',
    'open the link of `vp setup-link` to make the first account, then sign in with `vp login`',
  ),
  HUB_SLUG_INVALID: invalid(
    'no hub can be called {{slug}}: the slug {{problem}}',
    'take 2 to 40 lowercase letters and digits, with single hyphens between them',
  ),
  HUB_SLUG_TAKEN: conflict(
    'another hub has the slug {{slug}}, or had it before',
    'take another; addresses that people saved must not come to mean another hub',
  ),
  HUB_ROLE_INSUFFICIENT: refused(
    'as {{role}} of the hub {{hub}} you may not do this ({{action}})',
    'ask an owner of the hub; `vp hubs members {{hub}}` says who that is',
  ),
  HUB_OWNER_LAST: conflict(
    'this is the last owner of the hub {{hub}}',
    'make somebody else an owner first, or remove the hub',
  ),
  HUB_MEMBER_UNKNOWN: missing('the hub {{hub}} has no such member', 'see the list of its members again'),
  HUB_LIMIT_REACHED: conflict('there are {{most}} {{what}} already, and no more can be', '{{cure}}'),
  HUB_NOT_CHOSEN: invalid('{{count}} hubs are yours, so one must be named', 'add --hub <slug>; yours are {{known}}'),
  HUB_REMOVAL_UNCONFIRMED: invalid(
    'the hub {{hub}} was not removed: {{why}}',
    'type its slug when asked, or add --yes where nobody can be asked',
  ),
  HUB_TOKEN_UNKNOWN: missing('you have no such token', 'it has ended already; `vp tokens list` shows those that hold'),
  HUB_TOKEN_ERASED: ended(
    'this token can no longer be shown: it has expired',
    'rotate it, which makes a new one under the same name',
  ),
  HUB_TOKEN_KEY_REFUSED: refused(
    'an API key cannot make, show or rotate personal access tokens',
    'do it in the console, or sign in with `vp login` and leave VP_TOKEN away',
  ),
  SIGN_IN_NOT_RECENT: refused(
    'this is allowed only within {{minutes}} minutes of signing in',
    'sign in again in the browser with your password or your provider, then try again; for the terminal `vp login` comes after that',
  ),
  CONNECTION_UNKNOWN: missing(
    'the hub {{hub}} has no connection {{connection}}',
    'see the list of its connections again',
  ),
  CONNECTION_NAME_INVALID: invalid(
    'no connection can be called {{name}}',
    'take at most 24 lowercase letters and digits, with single hyphens between them: its tools are called <name>__<tool>',
  ),
  CONNECTION_NAME_TAKEN: conflict('the hub has a connection {{name}} already', 'take another name'),
  CONNECTION_INVALID: invalid('the connection cannot be: {{problem}}', '{{cure}}'),
  CONNECTION_URL_REFUSED: invalid('the address of the connection {{problem}}', '{{cure}}'),
  CONNECTION_CREDENTIAL_NEEDED: invalid(
    'the connection’s credential was given for {{before}}, and does not follow to {{after}}',
    'give the credential for the new address in the same change, or `none`',
  ),
  CONNECTION_STDIO_REFUSED: refused(
    'connections to programs on this machine are made by owners of the control plane',
    'ask one of them; connections over http need no more than an owner of the hub',
  ),
} as const;
