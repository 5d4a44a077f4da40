/**
 * Errors of the target's log. Those of the first group say why no lines can be read at the moment: they become part of a
 * report and are never thrown.
 */
import { exitCode } from './exit-code.ts';
import { invalid, localFailure, malformed, notFound, notReady, withStatus } from './row.ts';

const ofSources = {
  LOG_FILE_MISSING: notReady(
    'there is no log file {{file}}',
    'start the target so that it writes there, or name the right file with --log',
  ),
  LOG_FILE_UNREADABLE: notReady(
    'the log file {{file}} cannot be read: {{reason}}',
    'let the user of the executor read it, or name another source with --log',
  ),
  LOG_STREAM_ENDED: notReady(
    'standard input has ended, so no further line of the log arrives',
    'start again with a command that goes on, such as `docker compose logs -f --tail 0 app | vp executor --log -`',
  ),
  LOG_READER_UNREACHABLE: notReady(
    'the log reader at {{socket}} cannot be reached: {{reason}}',
    'start it again: where `vp onboard` created it, with `vp doctor --fix`, elsewhere with `vp log-reader --project <compose project> --socket {{socket}}`; this user must be able to read and write the socket',
  ),
  LOG_CONTAINERS_ABSENT: notReady(
    'the compose project {{project}} has no running container{{services}}',
    'start it with `docker compose up -d`, and check the project’s name with `docker compose ls`',
  ),
  LOG_DRIVER_UNREADABLE: notReady(
    'the container engine has no readable log of {{container}}',
    'give its service the logging driver `json-file` or `local` in the compose file, and create the container again',
  ),
  LOG_ENGINE_FAULT: notReady(
    'the container engine answered the request for {{request}} with {{response}}',
    'check the log of the engine; the log reader keeps retrying',
  ),
} as const;

export const logErrors = {
  ...ofSources,
  LOG_SOURCE_INVALID: invalid(
    '`{{source}}` is not a valid log source: {{problem}}',
    'give --log a file, `-` for standard input, or `unix:<socket>` of a log reader',
  ),
  LOG_STDIN_TERMINAL: invalid(
    '`--log -` reads the log from standard input, and that is a terminal',
    'pipe the log into it: `docker compose logs -f --tail 0 app | vp executor --log -`',
  ),
  LOG_PROJECT_INVALID: invalid(
    '`{{project}}` is not a valid name for a compose project',
    'use the name that `docker compose ls` shows: lowercase letters, digits, `-` and `_`, with a letter or digit first',
  ),
  LOG_ENGINE_INVALID: invalid(
    '`{{engine}}` is not a socket of a container engine',
    'pass --engine the path of a unix socket, such as /var/run/docker.sock',
  ),
  LOG_ENGINE_UNREACHABLE: localFailure(
    'the container engine at {{socket}} cannot be reached: {{reason}}',
    'check that it runs and that this user may use its socket (often: its group); the log reader must then be started again',
  ),
  LOG_READER_ROUTE: notFound(
    'the log reader does not support {{method}} {{path}}',
    'use GET /v1/tail, with `service=<name>` to select services',
  ),
  LOG_READER_QUERY: malformed(
    'the log reader cannot use the query: {{problem}}',
    'name services as the compose file does: `service=<name>`, at most 64 of them',
  ),
  LOG_READER_BUSY: withStatus(429, exitCode.notReady)(
    'the log reader already serves {{count}} clients',
    'disconnect one of them; an executor needs one connection',
  ),
} as const;
