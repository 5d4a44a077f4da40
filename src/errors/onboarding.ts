/** Errors of onboarding, teardown and writing a kit. */
import { conflict, invalid, localFailure, notFound, notReady, peerFailure } from './row.ts';

export const onboardingErrors = {
  KIT_UNWRITABLE: localFailure(
    '{{file}} cannot be written ({{reason}})',
    'let this user write there, or name another kit folder with --kit',
  ),
  KIT_DISK_FULL: localFailure(
    '{{file}} cannot be written: the disk is full',
    'free space there, then run the same command again',
  ),
  KIT_SERVES_ANOTHER: conflict(
    'the kit {{kit}} serves the instance {{instance}}, not {{requested}}',
    'use a separate kit for each instance: omit --kit, or run `vp init --out <another folder>`',
  ),
  INSTANCE_OF_ANOTHER: conflict(
    'the containers of {{instance}} on this machine belong to another user or another kit ({{kit}}); nothing was removed',
    'run this as the user who onboarded it; name the kit with --kit if that is you',
  ),
  JOURNAL_UNREADABLE: localFailure(
    '{{file}} cannot be read ({{reason}})',
    'remove it and run the same command again: every step checks the current state itself',
  ),
  ENV_TRACKED: conflict(
    'git tracks {{file}}, which holds secrets',
    'run `{{untrack}}`, commit that, change the secrets in it, then run this again; the file itself stays',
  ),
  DEPLOY_PROJECT_UNKNOWN: invalid(
    'the engine has no compose project {{name}} (`deploy.compose_project`); it has: {{known}}',
    'start the target first (`docker compose up --detach`), or write the name of its project',
  ),
  DEPLOY_NETWORK_UNKNOWN: invalid(
    'the engine has no network {{name}} (`deploy.network`); it has: {{known}}',
    'start the target first, or write the name that `docker network ls` shows for it',
  ),
  IMAGE_TAG_REFUSED: invalid(
    'the image {{image}} has the tag {{tag}}; a release tag is needed',
    'name the image by its release, `v<version>-slim`, with the version that the control plane recommends',
  ),
  CONTROL_PLANE_NO_WAY: localFailure(
    'a container on the network {{network}} cannot reach the control plane {{url}}: {{reasons}}',
    'nothing was registered. {{cure}}',
  ),
  INSTANCE_NOT_STARTED: notReady(
    'the instance {{instance}} is registered but its containers are not ready: {{reason}}',
    'do not tear down; wait a few minutes and check Settings → Environments, then run the same command again',
  ),
  INSTANCE_NOT_READY: notReady(
    'the instance {{instance}} is registered but something was not ready: {{reason}}',
    '{{cure}}; do not tear down; wait a few minutes and check Settings → Environments, then run the same command again',
  ),
  /** In place of an error with exit code 3, which for an onboarding means that the instance is registered. */
  ONBOARDING_STOPPED: localFailure('{{reason}}; nothing was registered', '{{cure}}'),
  MACHINE_BUSY: localFailure(
    'another onboarding has been running on this machine for {{minutes}} min',
    'wait for it to end, or end it (it may wait for an answer of the container engine), then run this again',
  ),
  TARGET_STOPPED: localFailure(
    'the target does not run: {{container}} is {{state}}',
    '{{cure}}, then run the same command again',
  ),
  TARGET_REFUSED: localFailure('the target answered {{status}} to GET {{path}}: {{meaning}}', '{{cure}}'),
  TARGET_UNREACHED: localFailure('the executor gets no response from the target {{url}}: {{problem}}', '{{cure}}'),
  TARGET_NOT_PROBED: localFailure('the target was not probed: {{problem}}', '{{cure}}'),
  EXECUTOR_OFF_NETWORK: localFailure(
    '{{container}} is not in the network {{network}} as it is now',
    '`vp doctor --fix`, or run `vp onboard` again: both create it anew in that network',
  ),
  DASHBOARD_OF_ANOTHER: localFailure(
    'the dashboard and the metrics store on this machine belong to {{owner}} and do not show this instance',
    'look at runs and results in the console; to take over, remove them with their history (`{{program}} compose --project-name {{project}} down --volumes`), then run `vp onboard` again',
  ),
  TEARDOWN_NAME_MISSING: notFound('no instance is named', 'name it with --instance-id'),
  MACHINE_KEY_ABSENT: notReady(
    'this machine has no machine key for {{instance}} ({{file}}), and nobody is signed in',
    'run the same command without --no-sign-in',
  ),
  ROUTER_UNREACHABLE: peerFailure('the router at {{url}} does not answer as expected: {{problem}}', '{{cure}}'),
  KIT_FOLDER_FOREIGN: conflict(
    '{{folder}} is not a kit and contains other files: {{names}}',
    'name an empty or a new folder; nothing was written',
  ),
  KIT_FOLDER_UNWRITABLE: localFailure(
    '{{folder}} cannot be written{{user}} ({{reason}})',
    'with the image: create the folder first (`mkdir kit`), then add `--user "$(id -u):$(id -g)"` to `docker run`; otherwise name with --out a folder that this user may write',
  ),
  KIT_FOLDER_INSIDE: invalid(
    '{{folder}} is inside the container and is removed with it',
    'name another folder with --out, or mount one there: `mkdir kit && docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD/kit:{{folder}}" <image> init`',
  ),
} as const;
