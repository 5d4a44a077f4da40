/** Errors of writing a kit. */
import { broken, conflict, invalid } from './row.ts';

/** Area: kit. */
export const kitErrors = {
  KIT_FOLDER_FOREIGN: conflict(
    '{{folder}} is not a kit and contains other files: {{names}}',
    'name an empty or a new folder; nothing was written',
  ),
  KIT_FOLDER_UNWRITABLE: broken(
    '{{folder}} cannot be written{{user}} ({{reason}})',
    'with the image: create the folder first (`mkdir kit`), then add `--user "$(id -u):$(id -g)"` to `docker run`; otherwise name with --out a folder that this user may write',
  ),
  KIT_FOLDER_INSIDE: invalid(
    '{{folder}} is inside the container and is removed with it',
    'mount a folder there: `mkdir kit && docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD/kit:{{folder}}" <image> init`',
  ),
} as const;
