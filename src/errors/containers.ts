/** Errors of the container engine and of its commands. */
import { invalid, localFailure, warning } from './row.ts';

/** None has exit code 3, which means that an instance is registered and not ready. */
export const containerErrors = {
  ENGINE_ABSENT: localFailure(
    'no container engine is installed: neither docker nor podman is on PATH',
    'install Docker Engine with the compose plugin, then run this again',
  ),
  ENGINE_STOPPED: localFailure(
    'the container engine does not answer ({{reason}})',
    'start it (`sudo systemctl start docker`, or Docker Desktop), then run this again',
  ),
  ENGINE_FORBIDDEN: localFailure(
    'this user is not allowed to use the container engine ({{reason}})',
    'add yourself to the group that may use it (`sudo usermod --append --groups docker $USER`) and sign in again',
  ),
  ENGINE_COMPOSE_ABSENT: localFailure(
    '{{program}} does not have Compose version 2 (`{{program}} compose version` says: {{reason}})',
    'install the compose plugin (package docker-compose-plugin), then run this again',
  ),
  ENGINE_PODMAN_OLD: localFailure(
    'podman {{version}} cannot host the platform: it does not say which containers are healthy',
    'use Docker Engine with the compose plugin; an executor without containers needs no engine: `vp serve --embedded`',
  ),
  ENGINE_PODMAN_UNTRIED: warning(
    'podman {{version}} answers here; the platform is tested with Docker Engine, and in its main steps with podman 5.4.2 without root',
    'go on; docs/how-to/containers.md says what was tried with podman, and Docker Engine is the tested way',
  ),
  ENGINE_COMMAND_FAILED: localFailure(
    '`{{command}}` failed: {{reason}}',
    'run the same command by hand to see what the engine reports',
  ),
  ENGINE_COMMAND_SLOW: localFailure(
    '`{{command}}` did not finish within {{seconds}} s',
    'check whether the machine is short of memory or disk, then run this again',
  ),
  ENGINE_ANSWER_STRANGE: localFailure(
    'the output of `{{command}}` cannot be read ({{reason}})',
    'run it by hand; if its output looks right, report it with the versions of vp and of the engine',
  ),
  CONTAINER_CRASH_LOOP: localFailure(
    '{{container}} does not stay up: it was started again {{restarts}} times, and ended with exit code {{exit_code}}; its last log lines: {{log}}',
    'correct what the log says (the whole log: `{{program}} logs {{name}}`), then run this again',
  ),
  IMAGE_FORBIDDEN: localFailure(
    'the registry refused the image {{image}}: this account may not read it (403)',
    'sign in with an account that has read access: `{{program}} login {{registry}}`, then run this again',
  ),
  IMAGE_UNKNOWN: invalid(
    'there is no image {{image}}',
    'check name and tag: the tag is `v<version>-slim`, with the version that the control plane recommends',
  ),
  IMAGE_ABSENT: invalid(
    'the image {{image}} is not on this machine, and its name has no registry to pull it from',
    'build it in the folder of vp (`npm run image`), load it (`{{program}} load --input <file>`), or name one with a registry by --image',
  ),
  IMAGE_UNREACHABLE: localFailure(
    'the image {{image}} cannot be pulled: {{reason}}',
    'check the network connection to the registry, or load the image (`{{program}} load --input <file>`), then run this again',
  ),
} as const;
