/** Errors of the containers that this product starts, and of the sockets between them. */
import { invalid, localFailure, notReady, withStatus } from './row.ts';

export const stackErrors = {
  CONFIG_NOT_PLACED: localFailure(
    'config and keys cannot be put into the volume {{volume}}: {{reason}}',
    'remove the volume (`docker volume rm {{volume}}`) when no container uses it, then run this again',
  ),
  ENGINE_SOCKET_ABSENT: localFailure(
    'the engine’s socket {{path}} cannot be given to the log reader: {{reason}}',
    'name the socket in DOCKER_HOST (`unix:///…`), as `docker context inspect` shows it, then run this again',
  ),
  EXECUTOR_SOCKET_UNUSABLE: notReady(
    'containers cannot reach this control plane through the socket {{path}}: {{problem}}',
    'name a data folder with a shorter path on a local disk (--data), or start with --no-executor-socket where no container needs it',
  ),
  EXECUTOR_DOOR_CLOSED: withStatus(403)(
    'this endpoint is only for executors, their agents and the scrape key',
    'use the address of the control plane, as `vp serve` shows it',
  ),
  MACHINE_INSTANCE_FOREIGN: withStatus(403)(
    'this machine’s key is valid only for the instance {{key_instance}}',
    'sign in with `vp login` to work with other instances',
  ),
  ROLE_UNWELL: localFailure(
    'the {{role}} at {{address}} does not answer as expected: {{problem}}',
    'start it if it is not running; otherwise see its log: in a container, `docker logs` shows it',
  ),
  SCRAPE_KEY_ABSENT: invalid(
    'there is no scrape key in {{file}}',
    'name a file of mode 0600 that contains the key that Prometheus sends, or omit --scrape-key-file',
  ),
  PLACED_INPUT_INVALID: invalid(
    'standard input is not valid: {{problem}}',
    'pass one JSON object that maps file names to texts; names have letters, digits, dots, dashes and underscores',
  ),
  PLACED_FOLDER_UNWRITABLE: localFailure(
    'files cannot be written to {{folder}} ({{reason}})',
    'name a folder that exists and that this user may write to; in a container, mount a volume there',
  ),
  SOCKET_PATH_ABSENT: invalid(
    'there is no socket at {{path}} ({{reason}})',
    'name the engine’s socket as it is mounted here',
  ),
} as const;
