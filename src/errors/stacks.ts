/** Errors of the containers that this product starts, and of the doors between them. */
import { broken, unready } from './row.ts';

/** Area: stacks. */
export const stackErrors = {
  CONFIG_NOT_PLACED: broken(
    'config and keys cannot be put into the volume {{volume}}: {{reason}}',
    'remove the volume (`docker volume rm {{volume}}`) when no container uses it, then run this again',
  ),
  ENGINE_SOCKET_ABSENT: unready(
    'the engine’s socket {{path}} cannot be given to the log reader: {{reason}}',
    'name the socket in DOCKER_HOST (`unix:///…`), as `docker context inspect` shows it, then run this again',
  ),
} as const;
