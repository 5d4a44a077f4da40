/** Errors of scenario folders against the catalogue, and of removing an instance. */
import { broken, invalid } from './row.ts';

/** Area: scenario folders and instances, on the client side. */
export const syncErrors = {
  SCENARIO_FOLDER_UNWRITABLE: broken(
    '{{file}} cannot be written ({{reason}})',
    'name a folder that this user may write',
  ),
  SCENARIO_ID_UNSAFE: invalid(
    'the catalogue has a scenario {{id}}, which is not a valid file name here',
    'give it another ID, then pull again',
  ),
  INSTANCE_REMOVAL_UNCONFIRMED: invalid(
    'instance {{instance}} was not removed: {{why}}',
    'run it in a terminal and type the id, or add --yes',
  ),
} as const;
