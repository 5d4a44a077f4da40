/** Errors of `vp new` and `vp new scenario`. */
import { exitCode } from './exit-code.ts';
import { conflict, invalid, notFound, peerFailure, withStatus } from './row.ts';

export const newCommandErrors = {
  NEW_TARGET_SILENT: peerFailure('{{problem}}', '{{instead}}'),
  NEW_ANSWERS_MISSING: invalid(
    'there is no terminal to ask questions on, and {{flag}} is not given',
    'write `{{example}}`',
  ),
  NEW_CANCELLED: withStatus(409, exitCode.interrupted)('cancelled; nothing was written', 'run `vp new` again'),
  NEW_FILES_DIFFER: conflict(
    '{{files}} would change, and nothing was written',
    'pass --force to write it as shown above, or keep it and add a scenario: `vp new scenario --from "GET /path"`',
  ),
  NEW_UNAUTHORIZED: invalid(
    'a credential is needed: GET {{path}} answered {{status}} without one',
    'run it again with `{{example}}`, where the variable holds the {{secret}}',
  ),
  NEW_CREDENTIAL_REFUSED: invalid(
    'the target refuses the credential: {{path}} answered {{status}}',
    'check the value in {{source}} and the way it is sent (--auth); a bearer token goes without the word Bearer',
  ),
  NEW_NOTHING_USABLE: notFound(
    'none of the {{count}} paths that were tried answered with success',
    'name a request that your application answers: `{{example}}`',
  ),
  NEW_REQUEST_INVALID: invalid('{{request}} is not a request: {{problem}}', 'write it as in `--from "GET /items"`'),
  NEW_REQUEST_UNANSWERED: peerFailure('{{request}} was not answered: {{problem}}', '{{instead}}'),
  NEW_UNSTABLE: conflict(
    '{{request}} answered differently when it was sent again ({{statuses}}), so no check would hold',
    'wait until the application is ready, then run the same command again',
  ),
  NEW_SECRET_MISSING: invalid(
    '{{source}} has no value for the {{secret}}',
    'set the variable and name it with --secret-from, or pass the value on standard input with --secret-stdin',
  ),
  NEW_SECRET_UNUSABLE: invalid('the {{secret}} {{problem}}', 'check what was copied, then run the same command again'),
  NEW_DATABASE_INVALID: invalid(
    '--database {{problem}}',
    'write it as in `postgres://reader@127.0.0.1:5432/shop`; the password comes from the variable of --database-secret-from',
  ),
  NEW_SCENARIO_EXISTS: conflict(
    '{{request}} has a scenario already: {{id}} in {{file}}',
    'run it with `{{example}}`, or pass --name for another scenario of the same request',
  ),
  NEW_ENV_TRACKED: conflict(
    'git tracks {{file}}, so the secret would end up in the repository',
    'run `git rm --cached {{file}}`, commit that, then run `vp new` again; the file itself stays',
  ),
  NEW_COMPOSE_ABSENT: notFound(
    'no running container of a compose project publishes {{address}}',
    'start the project, or omit --compose and run against the address as it is',
  ),
  NEW_FILE_UNWRITABLE: withStatus(500, exitCode.broken)(
    '{{file}} cannot be written ({{reason}})',
    'make its folder writable for this user, or run `vp new` in another folder',
  ),
} as const;
