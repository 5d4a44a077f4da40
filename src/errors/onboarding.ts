/** Errors of onboarding and teardown. */
import { broken, conflict, invalid, missing, unreachable, unready } from './row.ts';

/** Area: onboarding. */
export const onboardingErrors = {
  KIT_UNWRITABLE: broken(
    '{{file}} cannot be written ({{reason}})',
    'let this user write there, or name another kit folder with --kit',
  ),
  KIT_SERVES_ANOTHER: conflict(
    'the kit {{kit}} serves the instance {{instance}}, not {{requested}}',
    'use a separate kit for each instance: omit --kit, or run `vp init --out <another folder>`',
  ),
  JOURNAL_UNREADABLE: broken(
    '{{file}} cannot be read ({{reason}})',
    'remove it and run the same command again: every step checks the current state itself',
  ),
  ENV_TRACKED: conflict(
    'git tracks {{file}}, which holds secrets',
    'run `git rm --cached {{file}}`, commit that, change the secrets in it, then run this again; the file itself stays',
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
  CONTROL_PLANE_NO_WAY: unready(
    'a container on the network {{network}} cannot reach the control plane {{url}}: {{reasons}}',
    'nothing was registered. {{cure}}',
  ),
  INSTANCE_NOT_STARTED: unready(
    'the instance {{instance}} is registered but its containers are not ready: {{reason}}',
    'do not tear down; wait a few minutes and check Settings → Environments, then run the same command again',
  ),
  INSTANCE_NOT_READY: unready(
    'the instance {{instance}} is registered but something was not ready: {{reason}}',
    'do not tear down; wait a few minutes and check Settings → Environments, then run the same command again ({{cure}})',
  ),
  TEARDOWN_NAME_MISSING: missing('no instance is named', 'name it with --instance-id'),
  MACHINE_KEY_ABSENT: unready(
    'this machine has no machine key for {{instance}} ({{file}})',
    'run the same command without --no-sign-in',
  ),
  ROUTER_UNREACHABLE: unreachable('the router at {{url}} does not answer as expected: {{problem}}', '{{cure}}'),
} as const;
