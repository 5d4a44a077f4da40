/** Errors of hubs. They do not reveal to non-members whether a hub exists. */
import { conflict, invalid, notFound, withStatus } from './row.ts';

const forbidden = withStatus(403);
const gone = withStatus(410);

export const hubErrors = {
  HUB_UNKNOWN: notFound(
    'you are not a member of a hub {{hub}}',
    '`vp hubs` lists yours; an owner of a hub can add people to it',
  ),
  HUB_PERSON_NEEDED: forbidden(
    'hubs belong to people, and this control plane has no accounts yet',
    'open the link of `vp setup-link` to create the first account, then sign in with `vp login`',
  ),
  HUB_SLUG_INVALID: invalid(
    '{{slug}} is not a valid slug: it {{problem}}',
    'use 2 to 40 lowercase letters and digits, with single hyphens between them',
  ),
  HUB_SLUG_TAKEN: conflict(
    'another hub has the slug {{slug}}, or had it before',
    'use another; saved addresses must not lead to a different hub',
  ),
  HUB_ROLE_INSUFFICIENT: forbidden(
    'the role {{role}} in the hub {{hub}} does not allow this ({{action}})',
    'ask an owner of the hub; `vp hubs members {{hub}}` shows who they are',
  ),
  HUB_OWNER_LAST: conflict(
    'this is the last owner of the hub {{hub}}',
    'make another member an owner first, or remove the hub',
  ),
  HUB_MEMBER_UNKNOWN: notFound('the hub {{hub}} has no such member', 'see the list of its members again'),
  HUB_LIMIT_REACHED: conflict('the limit of {{max}} {{items}} is reached', '{{cure}}'),
  HUB_NOT_CHOSEN: invalid(
    'you belong to {{count}} hubs, so one must be named',
    'add --hub <slug>; yours are {{known}}',
  ),
  HUB_REMOVAL_UNCONFIRMED: invalid(
    'the hub {{hub}} was not removed: {{why}}',
    'type its slug when asked, or add --yes where there is no terminal',
  ),
  HUB_FILE_UNREADABLE: invalid(
    'the file {{file}} cannot be read or written: {{reason}}',
    'name another file, or correct its rights',
  ),
  HUB_FILE_INVALID: invalid(
    '{{file}} has {{problem}}',
    'correct the file; `vp hubs export --schema` prints its schema, which editors use for completion',
  ),
  HUB_FILE_NO_HUB: notFound(
    'you are not a member of a hub {{hub}}',
    'correct `hub.slug` in the file, or create the hub with `vp hubs apply <file> --create`',
  ),
  HUB_CHANGED: conflict(
    'the hub {{hub}} has changed: it has the revision {{actual}}, not {{expected}}',
    'see what `vp hubs diff {{file}}` would undo, and merge it into the file; then apply it with the revision that the diff shows, in `--if-revision`',
  ),
  HUB_SETTINGS_CHANGED: conflict(
    'the {{setting}} of the hub {{hub}} is {{actual}} by now, not {{expected}}',
    'see whether your change is still right, and make it again from the present value',
  ),
  HUB_MEMBER_CHANGED: conflict(
    'the role of {{person}} in the hub {{hub}} is {{actual}} by now, not {{expected}}',
    'see whether your change is still right, and make it again from the present role',
  ),
  HUB_SECRET_UNREADABLE: invalid(
    'the secret of the connection {{connection}} cannot be read: {{reference}} {{problem}}',
    'correct the reference or what it refers to; nothing was changed',
  ),
  HUB_TOKEN_UNKNOWN: notFound(
    'you have no such token',
    'it was revoked or has expired; `vp tokens list` shows the valid ones',
  ),
  HUB_TOKEN_ERASED: gone(
    'this token can no longer be shown: it has expired',
    'rotate it, which creates a new one with the same name',
  ),
  HUB_TOKEN_KEY_REFUSED: forbidden(
    'an API key cannot create, show or rotate personal access tokens',
    'do it in the console, or sign in with `vp login` and unset VP_TOKEN',
  ),
  SIGN_IN_NOT_RECENT: forbidden(
    'this is allowed only within {{minutes}} minutes of signing in',
    'sign in again in the browser with your password or your provider, then try again; in the terminal, run `vp login` after that',
  ),
  CONNECTION_UNKNOWN: notFound(
    'the hub {{hub}} has no connection {{connection}}',
    '`vp hubs connections {{hub}}` lists those that it has',
  ),
  CONNECTION_REMOVED: notFound(
    'the connection {{connection}} was removed from its hub while its server was asked',
    'list again; an owner of the hub connects a server with `vp hubs connect <hub> <name> <url>`',
  ),
  CONNECTION_NAME_INVALID: invalid(
    '{{name}} is not a valid name for a connection',
    'use at most 24 lowercase letters and digits, with single hyphens between them: its tools are called <name>__<tool>',
  ),
  CONNECTION_NAME_TAKEN: conflict(
    'the hub already has a connection {{name}}',
    'use another name, or change that one: `vp hubs change <hub> {{name}}`',
  ),
  CONNECTION_REVISION_OTHER: conflict(
    'the connection {{connection}} has revision {{found}}, not {{expected}}',
    'read it again, apply the change to it as it is now, and send its revision',
  ),
  CONNECTION_INVALID: invalid('the connection is not valid: {{problem}}', '{{cure}}'),
  CONNECTION_URL_REFUSED: invalid('the address of the connection {{problem}}', '{{cure}}'),
  CONNECTION_CREDENTIAL_NEEDED: invalid(
    'the connection’s credential was given for {{old_origin}}, and is not used for {{new_origin}}',
    'give the credential for the new address in the same change, or `none`',
  ),
  CONNECTION_STDIO_REFUSED: forbidden(
    'only owners of the control plane can create connections to commands on this machine',
    'ask one of them; an owner of the hub can create connections over http',
  ),
} as const;
