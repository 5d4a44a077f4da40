/** Errors of a machine that is not ready to be onboarded, as preflight reports them. */
import { localFailure, notReady, warning } from './row.ts';

export const preflightErrors = {
  /** The exit code is not 3: for onboarding, 3 means that the instance is registered. */
  PREFLIGHT_FAILED: localFailure(
    'this machine is not ready: {{count}} found',
    'fix what is listed, then run this again; nothing was changed',
  ),
  PORT_TAKEN: notReady(
    'port {{port}}, which {{use}} needs, is held by {{holder}}',
    'stop that process, or give it another port, then run this again',
  ),
  ROUTER_PORT_TAKEN: notReady(
    'another process answers on port {{port}}: {{holder}}; agents would fail with `unrecognized router token`',
    'stop it, or give it another port, then run this again',
  ),
  ROUTER_NAME_TAKEN: notReady(
    'there is a container named {{name}} that {{origin}}, from the image {{image}}; the router needs that name',
    'remove it with `{{program}} rm --force {{name}}`, or give it another name with `{{program}} rename`, then run this again',
  ),
  EXECUTOR_PORTS_TAKEN: notReady(
    'every port from {{first}} to {{last}} is taken ({{holders}})',
    'tear down an instance that is no longer needed, or stop another process that holds one of them, then run this again',
  ),
  TARGET_ABSENT: notReady(
    'there is no container of the compose project {{project}}, which the config names as the target',
    'start the target (`{{program}} compose up --detach` in its folder), or correct `deploy.compose_project`, then run this again',
  ),
  DISK_SHORT: notReady(
    '{{folder}} has {{free}} of disk space left, and {{needed}} are needed',
    'free space there (`docker system df` shows the space used by images and volumes), then run this again',
  ),
  MEMORY_SHORT: warning(
    '{{available}} of memory are available, and the containers need up to {{needed}}',
    'close programs that are not needed; when memory runs out, the system kills containers, which then restart',
  ),
  BASH_TOO_OLD_FOR_SCRIPTS: warning(
    'the kit’s scripts need bash 4.4 or newer, and {{problem}}',
    'run `vp onboard` itself, which needs no bash; or install it (`{{install}}`) and put it first on PATH',
  ),
} as const;
